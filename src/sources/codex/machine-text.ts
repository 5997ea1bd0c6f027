/**
 * Texts in the user role that no person typed. Codex puts them into the model's input beside the prompts.
 * The answer is what kind of event such a row is: '' for a person's text, `context` for what is no event at all.
 */
export type MachineText = '' | 'context' | 'notification' | 'hook' | 'continuation';

const TAGS: ReadonlyMap<string, MachineText> = new Map<string, MachineText>([
  ['environment_context', 'context'],
  ['user_instructions', 'context'],
  ['turn_aborted', 'context'],
  ['skill', 'context'],
  ['skills_instructions', 'context'],
  ['model_switch', 'context'],
  ['permissions instructions', 'context'],
  ['collaboration_mode', 'context'],
  ['multi_agent_mode', 'context'],
  ['personality_spec', 'context'],
  ['apps_instructions', 'context'],
  ['plugins_instructions', 'context'],
  ['recommended_plugins', 'context'],
  ['user_shell_command', 'context'],
  ['user_action', 'context'],
  ['realtime_conversation', 'context'],
  ['subagent_notification', 'notification'],
  ['agent_message_board_notification', 'notification'],
  ['hook_prompt', 'hook'],
  ['codex_internal_context', 'continuation'],
  ['goal_context', 'continuation'],
]);

const TAG = /^<([a-z][a-z_ -]*)(?:\s[^>]*)?>/i;

/** With `guess`, an element that is not known yet is taken for the client's too; where a row surely is a prompt, not. */
export function machineText(text: string, guess: boolean): MachineText {
  const from = text.search(/\S/);
  if (from < 0) return '';
  const first = text.charCodeAt(from);
  if (first === 35) return text.startsWith('# AGENTS.md instructions', from) ? 'context' : '';
  if (first !== 60) return '';
  const name = TAG.exec(text.slice(from, from + 200))?.[1]
    ?.trim()
    .toLowerCase();
  if (name === undefined) return '';
  const known = TAGS.get(name);
  if (known !== undefined) return known;
  // The next version's element: one name with an underscore around the whole text.
  return guess && name.includes('_') && text.trimEnd().endsWith(`</${name}>`) ? 'context' : '';
}

/**
 * What the person wrote of a prompt that an editor or the desktop application wrapped: they put open files and
 * attachments before a heading of this name.
 */
export function typedPart(text: string): string {
  const at = text.indexOf('## My request for Codex:');
  if (at < 0 || !/^\s*# (Context from my IDE setup|Files mentioned by the user)/.test(text)) return text;
  return text.slice(at + '## My request for Codex:'.length).trim();
}
