// @ts-check
// Operation files with a gold field from the labelled trajectories of the shared corpus.
//
//   node bench/labelled.mjs SHARED OUTDIR
//
// todo-stages.jsonl: tool uses of real coding runs; `stage` numbers the stretches in which one item of the agent's own
// plan was in progress. The plan tool itself is left out. subgoals.jsonl: household demonstrations, `stage` the subgoal.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

/** @param {string} file @returns {any[]} */
const lines = file =>
  gunzipSync(readFileSync(file))
    .toString()
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line));

/** @param {any} content */
const textOf = content =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map(part => (typeof part?.text === 'string' ? part.text : '')).join('\n')
      : '';

/** The operations of a coding run that have a stage. @param {string} session @param {any[]} events */
function codingRun(session, events) {
  /** @type {Map<string, any>} */
  const results = new Map();
  for (const event of events) {
    if (event.type !== 'user' || !Array.isArray(event.message?.content)) continue;
    for (const part of event.message.content) if (part.type === 'tool_result') results.set(part.tool_use_id, part);
  }
  const operations = [];
  let said = '';
  let item = '';
  let stage = 0;
  let before = '';
  for (const event of events) {
    if (event.type !== 'assistant' || !Array.isArray(event.message?.content)) continue;
    for (const part of event.message.content) {
      if (part.type === 'text' && part.text !== '(no content)') said += `${part.text}\n`;
      if (part.type !== 'tool_use') continue;
      const { name, input } = part;
      if (name === 'TodoWrite') {
        const todos = Array.isArray(input?.todos) ? input.todos : [];
        item = todos.find((/** @type {any} */ todo) => todo?.status === 'in_progress')?.content ?? '';
        continue;
      }
      const result = results.get(part.id);
      if (item !== '') {
        if (item !== before) stage++;
        before = item;
        operations.push({
          value: 1,
          fields: {
            id: part.id,
            session,
            problem: session.replace(/^.*?__/, ''),
            kind: 'tool',
            tool: name,
            command: typeof input?.command === 'string' ? input.command : undefined,
            path: input?.file_path ?? input?.path ?? input?.notebook_path,
            text: said.trim() || undefined,
            result: textOf(result?.content).slice(0, 2000) || undefined,
            status: result?.is_error === true ? 'error' : 'ok',
            stage: String(stage),
          },
        });
      }
      said = '';
    }
  }
  return operations;
}

/** @param {any} run */
const demonstration = run =>
  run.steps.map((/** @type {any} */ step, /** @type {number} */ at) => ({
    value: 1,
    fields: {
      id: `${run.id}.${run.split}.${at}`,
      session: `${run.split}/${run.id}`,
      kind: 'tool',
      action: step.action,
      object: step.object || undefined,
      receptacle: step.receptacle || undefined,
      stage: String(step.subgoal),
    },
  }));

/** Runs of one human category of actions: a stand-in for short stages, as its authors' labels are of single actions. */
const phases = (/** @type {any} */ run) =>
  (run.steps ?? []).map((/** @type {any} */ step, /** @type {number} */ at, /** @type {any[]} */ all) => ({
    value: 1,
    fields: {
      id: `${run.agent}.${run.id}.${at}`,
      session: `${run.agent}/${run.id}`,
      kind: 'tool',
      ...toolOf(step.action),
      text: step.thought || undefined,
      result: (step.result ?? '').slice(0, 2000) || undefined,
      stage: String(all.slice(1, at + 1).filter((each, before) => each.category !== all[before].category).length),
    },
  }));

/** Tool, command and path in an action as its agent's log prints it. @param {string} action */
function toolOf(action) {
  const value = (/** @type {string} */ name) =>
    action.match(new RegExp(`\\\\?["']${name}\\\\?["']: *\\\\?["'](.*?)\\\\?["'](?:, *\\\\?["']|[}'])`, 's'))?.[1];
  const tool = action.match(/'name': '([^']*)'/)?.[1] ?? 'none';
  const command = value('command');
  const path = value('path') ?? value('filepath') ?? value('file_path') ?? value('test_file_path');
  const shell = tool === 'execute_bash' || tool.startsWith('run_');
  return {
    tool,
    command: shell ? command : undefined,
    action: shell ? undefined : `${tool}${command ? ` ${command}` : ''}`,
    path,
  };
}

/** Writes the files below a directory. @param {string} shared @param {string} directory */
export function writeLabelled(shared, directory) {
  const corpus = path.join(shared, 'corpus/trajectories');
  mkdirSync(directory, { recursive: true });
  const sessions = path.join(corpus, 'codetracer-claude-code/sessions');
  const coding = readdirSync(sessions)
    .sort()
    .flatMap(file => codingRun(file.replace('.jsonl.gz', ''), lines(path.join(sessions, file))));
  const household = ['train', 'valid_seen', 'valid_unseen'].flatMap(split =>
    lines(path.join(corpus, `alfred-subgoals/${split}.jsonl.gz`)).flatMap(demonstration),
  );
  const study = lines(path.join(corpus, 'ase-agents-study/trajectories.jsonl.gz')).flatMap(phases);
  const files = { 'todo-stages.jsonl': coding, 'subgoals.jsonl': household, 'phases.jsonl': study };
  for (const [name, operations] of Object.entries(files))
    writeFileSync(path.join(directory, name), operations.map(each => `${JSON.stringify(each)}\n`).join(''));
  return Object.keys(files).map(name => path.join(directory, name));
}

if (process.argv[1] === import.meta.filename) {
  const [shared = '../shared', directory = 'labelled'] = process.argv.slice(2);
  for (const file of writeLabelled(shared, directory)) process.stdout.write(`${file}\n`);
}
