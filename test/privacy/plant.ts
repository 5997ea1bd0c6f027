import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ASSIGNED, type Canary, EMAILS, HEX, HOMES, NAMES, noise, SHAPED } from './canaries.ts';

/** Only secrets with a shape of their own go into file names: what stood around the others is lost there. */
const fileName = (canary: Canary | undefined): string =>
  (canary?.text ?? 'plain').replace(/[^\w.:@+~=-]/g, '_').slice(0, 200);

const START = Date.UTC(2026, 2, 9, 8, 0, 0);
const at = (second: number): string => new Date(START + second * 1000).toISOString();
const uuid = (n: number): string => `5ca1ab1e-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

/**
 * Writes a Claude Code and a Codex history below `home` (`.claude`, `.codex`), each with every canary in a prompt, an
 * answer, a tool's input and its result, shaped ones in file names and branches, and homes as working directories.
 * Returns the number of sessions by agent.
 */
export function plantCanaries(home: string): { 'claude-code': number; codex: number } {
  HOMES.forEach((place, n) => {
    write(
      path.join(home, '.claude/projects', place.text.replace(/[^A-Za-z0-9]/g, '-'), `${uuid(n)}.jsonl`),
      claudeSession(place, n),
    );
    write(
      path.join(home, '.codex/sessions/2026/03/09', `rollout-2026-03-09T08-00-00-${uuid(0x100 + n)}.jsonl`),
      codexSession(place, n),
    );
  });
  return { 'claude-code': HOMES.length, codex: HOMES.length };
}

function write(file: string, rows: readonly object[]): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, rows.map(row => `${JSON.stringify(row)}\n`).join(''));
}

/** The canaries of one session: all are used over the sessions, a few in each. */
function share(list: readonly Canary[], n: number): readonly Canary[] {
  return list.filter((_, index) => index % HOMES.length === n);
}

function claudeSession(place: Canary, n: number): object[] {
  const rows: object[] = [];
  let parent: string | null = null;
  const shaped = [...share(SHAPED, n), ...share(EMAILS, n)];
  const branch = `fix/${fileName(shaped[0])}`;
  const add = (type: string, message: object, more: object = {}): void => {
    const id = uuid(0x1000 * (n + 1) + rows.length);
    const about = {
      cwd: place.text,
      sessionId: uuid(n),
      version: '2.1.70',
      gitBranch: branch,
      userType: 'external',
      isSidechain: false,
    };
    rows.push({ parentUuid: parent, ...about, type, message, uuid: id, timestamp: at(rows.length), ...more });
    parent = id;
  };
  const all = [...shaped, ...share(ASSIGNED, n), ...NAMES, place];
  for (const [index, { text }] of all.entries()) {
    const id = `toolu_${n}_${index}`;
    const tools = [
      { name: 'Bash', input: { command: `echo '${text}' | tee out.log`, description: `Shows ${text}` } },
      {
        name: 'Write',
        input: { file_path: `${place.text}/src/${fileName(shaped[index % shaped.length])}.txt`, content: text },
      },
      { name: 'WebFetch', input: { url: `https://quillan:${fileName(shaped[0])}@api.example.com/?q=1`, prompt: text } },
    ];
    const usage = {
      input_tokens: 10,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 20,
      output_tokens: 30,
    };
    add(
      'user',
      { role: 'user', content: `为${NAMES[0]?.text}修复登录 fix the login. ${text}` },
      { promptId: `prompt-${index}` },
    );
    add(
      'assistant',
      {
        id: `msg_${n}_${index}`,
        type: 'message',
        role: 'assistant',
        model: index === 0 ? `model-${fileName(shaped[0])}` : 'claude-sonnet-4-5-20250929',
        content: [
          { type: 'text', text: `I see ${text} in ${place.text}` },
          { type: 'tool_use', id, ...tools[index % tools.length] },
        ],
        stop_reason: 'tool_use',
        usage,
      },
      { requestId: `req_${n}_${index}` },
    );
    const failed = index % 4 === 3;
    add('user', {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: `Error: ${text} at ${place.text}`, is_error: failed }],
    });
  }
  return rows;
}

function codexSession(place: Canary, n: number): object[] {
  const rows: object[] = [];
  const add = (type: string, payload: object): void => void rows.push({ timestamp: at(rows.length), type, payload });
  const id = uuid(0x100 + n);
  const shaped = [...share(SHAPED, n), ...share(EMAILS, n)];
  const git = {
    branch: `feature/${fileName(shaped.at(-1))}`,
    commit_hash: noise('commit', 40, HEX),
    repository_url: 'https://quillan:Zx81spectrum@git.example.com/shop.git',
  };
  add('session_meta', {
    id,
    timestamp: at(0),
    cwd: place.text,
    originator: 'codex_cli_rs',
    cli_version: '0.98.0',
    source: 'cli',
    model_provider: 'openai',
    git,
  });
  let total = 0;
  for (const [index, { text }] of [...shaped, ...share(ASSIGNED, n), ...NAMES, place].entries()) {
    const turn = `turn-${n}-${index}`;
    const call = `call_${n}_${index}`;
    const command = [
      'bash',
      '-lc',
      `printf %s '${text}' > ${place.text.replaceAll('\\', '/')}/${fileName(shaped[index % shaped.length])}.log`,
    ];
    add('turn_context', { turn_id: turn, cwd: place.text, model: 'gpt-5.1-codex', approval_policy: 'never' });
    add('event_msg', { type: 'task_started', turn_id: turn });
    add('event_msg', { type: 'user_message', message: `${NAMES[1]?.text}：请检查 ${text}` });
    add('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: `请检查 ${text}` }] });
    add('response_item', {
      type: 'function_call',
      name: 'shell',
      arguments: JSON.stringify({ command, workdir: place.text }),
      call_id: call,
    });
    add('response_item', {
      type: 'function_call_output',
      call_id: call,
      output: JSON.stringify({ output: `${text}\n`, metadata: { exit_code: index % 2, duration_seconds: 0.1 } }),
    });
    const last = {
      input_tokens: 120,
      cached_input_tokens: 100,
      output_tokens: 30,
      reasoning_output_tokens: 10,
      total_tokens: 150,
    };
    total += 1;
    const sum = Object.fromEntries(Object.entries(last).map(([key, value]) => [key, value * total]));
    add('event_msg', {
      type: 'token_count',
      info: { total_token_usage: sum, last_token_usage: last, model_context_window: 272_000 },
    });
    add('response_item', {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: `Done with ${text}` }],
    });
    add('event_msg', { type: 'agent_message', message: `Done with ${text}` });
    add('event_msg', { type: 'task_complete', turn_id: turn });
  }
  return rows;
}
