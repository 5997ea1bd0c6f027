// An agent for tests: does what a script tells it as Claude Code does (a wrapped shell for each command, files opened by
// itself, a server of tools as a child, a shell fed through its input) and writes the transcript with the true times.
// node fake-agent.mjs SCRIPT.json: { session, prompt, servers: {name: argv}, turns: [[{ tool, input, ...}, ...], ...] };
// the tools of one turn run at the same time. `hold` ends the agent's step only when that file is there.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const script = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const home = process.env.CLAUDE_CONFIG_DIR;
const folder = join(home, 'projects', process.cwd().replace(/[^A-Za-z0-9]/g, '-'));
mkdirSync(folder, { recursive: true });
mkdirSync(join(home, 'shell-snapshots'), { recursive: true });
const snapshot = join(home, 'shell-snapshots', 'snapshot-bash.sh');
writeFileSync(snapshot, 'shopt -s expand_aliases\n');
const transcript = join(folder, `${script.session}.jsonl`);

let rows = 0;
const write = (type, more) => {
  const row = {
    parentUuid: rows === 0 ? null : `${script.session}-${rows}`,
    isSidechain: false,
    userType: 'external',
    cwd: process.cwd(),
    sessionId: script.session,
    version: '2.1.100',
    gitBranch: 'main',
    type,
    uuid: `${script.session}-${++rows}`,
    timestamp: new Date().toISOString(),
    ...more,
  };
  appendFileSync(transcript, `${JSON.stringify(row)}\n`);
};

const quoted = text => `'${text.replaceAll("'", `'\\''`)}'`;

/** As Claude Code starts a command: a pipeline gets its input inside, anything else behind it. */
function bash({ input: { command } }, id) {
  const pipe = command.indexOf(' | ');
  const evaluated =
    pipe < 0
      ? `${quoted(command)} \\< /dev/null`
      : quoted(`${command.slice(0, pipe)} < /dev/null${command.slice(pipe)}`);
  const text = `source ${snapshot} 2>/dev/null || true && eval ${evaluated} && pwd -P >| /tmp/claude-${id}-cwd`;
  return new Promise(resolve => {
    // What runs in the background keeps the streams; the call ends with its shell.
    const child = spawn('/bin/bash', ['-c', '-l', text], { stdio: ['ignore', 'ignore', 'ignore'] });
    child.on('exit', code => resolve({ failed: code !== 0 }));
  });
}

let fed;
/** A shell that lives as long as the agent; a line on its output says that a command is over. */
function persistent({ input }) {
  fed ??= spawn('/bin/bash', ['-i'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, PS1: '', HISTFILE: '' },
  });
  return new Promise(resolve => {
    let seen = '';
    const listen = chunk => {
      seen += chunk;
      const end = /:done:(\d+)/.exec(seen);
      if (!end) return;
      fed.stdout.off('data', listen);
      resolve({ failed: end[1] !== '0' });
    };
    fed.stdout.on('data', listen);
    fed.stdin.write(`${input.command}\necho :done:$?\n`);
  });
}

const servers = new Map();
for (const [name, argv] of Object.entries(script.servers ?? {}))
  servers.set(name, spawn(argv[0], argv.slice(1), { stdio: ['pipe', 'pipe', 'ignore'] }));

function serverTool({ tool, input }) {
  const server = servers.get(tool.split('__')[1]);
  return new Promise(resolve => {
    server.stdout.once('data', () => resolve({ failed: false }));
    server.stdin.write(`${input.query}\n`);
  });
}

function file({ tool, input }) {
  const text = tool === 'Write' && !existsSync(input.file_path) ? '' : readFileSync(input.file_path, 'utf8');
  if (tool === 'Write') writeFileSync(input.file_path, input.content);
  if (tool === 'Edit') writeFileSync(input.file_path, text.replace(input.old_string, input.new_string));
  return { failed: false };
}

const run = (step, id) =>
  step.persistent
    ? persistent(step)
    : step.tool === 'Bash'
      ? bash(step, id)
      : step.tool.startsWith('mcp__')
        ? serverTool(step)
        : file(step);

write('user', { message: { role: 'user', content: script.prompt } });
let calls = 0;
for (const turn of script.turns) {
  const tools = turn.map(step => ({ step, id: `${script.session}-tool-${++calls}` }));
  for (const { step, id } of tools)
    write('assistant', {
      requestId: `req-${id}`,
      message: {
        id: `msg-${id}`,
        role: 'assistant',
        type: 'message',
        model: script.model ?? 'claude-sonnet-4-5',
        content: [{ type: 'tool_use', id, name: step.tool, input: step.input }],
        stop_reason: 'tool_use',
        usage: { input_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 5 },
      },
    });
  await Promise.all(
    tools.map(async ({ step, id }) => {
      const { failed } = await run(step, id);
      write('user', {
        message: {
          role: 'user',
          content: [
            {
              tool_use_id: id,
              type: 'tool_result',
              content: failed ? 'failed' : 'ok',
              ...(failed && { is_error: true }),
            },
          ],
        },
        toolUseResult: failed ? 'Error: failed' : step.tool === 'Write' ? { type: 'create' } : {},
      });
    }),
  );
  // Calls must lie further apart than what clocks and rows may be wrong by, where a test tells them apart by time.
  await delay(script.pause ?? 0);
}
for (const { until } of script.wait ?? []) while (!existsSync(until)) await delay(20);
fed?.stdin.end();
for (const server of servers.values()) server.stdin.end();
