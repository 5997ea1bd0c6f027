import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { agentpprof, scratch } from './program.ts';

/** Histories of other systems: their paths have another shape than this machine's, and nothing of them exists here. */
const place = scratch('systems');
afterAll(() => place.remove());

interface System {
  readonly cwd: string;
  readonly project: string;
  /** As tools name a file of the project, and what is shown of it. */
  readonly own: readonly (readonly [written: string, shown: string])[];
  readonly outside: readonly (readonly [written: string, shown: string])[];
}

const SYSTEMS: Readonly<Record<string, System>> = {
  macOS: {
    cwd: '/Users/zoe.quill/Open Source/check.it',
    project: 'check.it',
    own: [
      ['/Users/zoe.quill/Open Source/check.it/src/a b.ts', 'src/a b.ts'],
      ['src/c.ts', 'src/c.ts'],
    ],
    outside: [
      ['/Users/zoe.quill/.zshrc', 'external/home'],
      ['/private/var/folders/x1/T/zoe.quill/x', 'external/tmp'],
      ['/Library/Fonts/x.ttf', 'external/system'],
    ],
  },
  'Windows with backslashes': {
    cwd: 'C:\\Users\\zoe.quill\\code\\My App',
    project: 'My App',
    own: [
      ['C:\\Users\\zoe.quill\\code\\My App\\src\\a.ts', 'src/a.ts'],
      ['c:/Users/zoe.quill/code/my app/src/b.ts', 'src/b.ts'],
      ['src\\c.ts', 'src/c.ts'],
      ['\\\\?\\C:\\Users\\zoe.quill\\code\\My App\\d.ts', 'd.ts'],
    ],
    outside: [
      ['C:\\Users\\zoe.quill\\notes.txt', 'external/home'],
      ['C:\\Users\\zoe.quill\\AppData\\Local\\Temp\\x.log', 'external/tmp'],
      ['C:\\Windows\\win.ini', 'external/system'],
      ['D:\\zoe.quill\\x', 'external/other'],
      ['\\\\nas\\zoe.quill\\x', 'external/other'],
    ],
  },
  'a Windows share': {
    cwd: '\\\\nas\\work\\api',
    project: 'api',
    own: [
      ['\\\\nas\\work\\api\\src\\a.ts', 'src/a.ts'],
      ['//NAS/Work/api/src/b.ts', 'src/b.ts'],
    ],
    outside: [
      ['\\\\nas\\zoe.quill\\api\\src\\a.ts', 'external/other'],
      ['C:\\Users\\zoe.quill\\x', 'external/home'],
    ],
  },
  'a home on a Windows share': {
    cwd: '\\\\nas\\Users\\zoe.quill\\api',
    project: 'api',
    own: [['\\\\nas\\Users\\zoe.quill\\api\\src\\a.ts', 'src/a.ts']],
    outside: [['\\\\nas\\Users\\zoe.quill\\x', 'external/other']],
  },
  'a home as the project, on Windows': {
    cwd: 'C:\\Users\\zoe.quill',
    project: 'home',
    own: [['C:\\Users\\zoe.quill\\a.ts', 'a.ts']],
    outside: [['C:\\Users\\bob.quill\\a.ts', 'external/home']],
  },
  'a Windows drive seen from Linux': {
    cwd: '/mnt/c/Users/zoe.quill/api',
    project: 'api',
    own: [['/mnt/c/Users/zoe.quill/api/src/a.ts', 'src/a.ts']],
    outside: [['/mnt/c/Users/zoe.quill/x', 'external/home']],
  },
};

const time = (second: number) => new Date(Date.UTC(2026, 4, 4) + second * 1000).toISOString();
const lines = (...records: object[]) => records.map(record => `${JSON.stringify(record)}\n`).join('');

/** One session of an agent that reads these files: the name of its file, and what it holds. */
type Write = (cwd: string, files: readonly string[]) => readonly [name: string, text: string];

const AGENTS: Readonly<Record<string, Write>> = {
  'claude-code': (cwd, files) => {
    const base = { sessionId: '5ca1ab1e-0000-4000-8000-000000000001', cwd, version: '2.1.100', parentUuid: null };
    return [
      '5ca1ab1e-0000-4000-8000-000000000001.jsonl',
      lines(
        { ...base, type: 'user', uuid: 'u', timestamp: time(0), message: { role: 'user', content: 'Look' } },
        ...files.flatMap((file_path, n) => [
          {
            ...base,
            type: 'assistant',
            uuid: `a${n}`,
            timestamp: time(n + 1),
            message: {
              id: `m${n}`,
              role: 'assistant',
              model: 'm',
              content: [{ type: 'tool_use', id: `t${n}`, name: 'Read', input: { file_path } }],
              usage: { input_tokens: 1, output_tokens: 1 },
            },
          },
          {
            ...base,
            type: 'user',
            uuid: `r${n}`,
            timestamp: time(n + 1.5),
            toolUseResult: {},
            message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${n}`, content: 'x' }] },
          },
        ]),
      ),
    ];
  },
  codex: (cwd, files) => [
    'rollout-2026-05-04T00-00-00-01a1545a-cfc0-7234-a5f7-521ac926f26c.jsonl',
    lines(
      {
        timestamp: time(0),
        type: 'session_meta',
        payload: { id: '01a1545a-cfc0-7234-a5f7-521ac926f26c', timestamp: time(0), cwd, cli_version: '0.142.0' },
      },
      ...files.flatMap((file, n) => [
        {
          timestamp: time(n + 1),
          type: 'response_item',
          payload: {
            type: 'function_call',
            name: 'view_image',
            arguments: JSON.stringify({ path: file }),
            call_id: `c${n}`,
          },
        },
        {
          timestamp: time(n + 1.5),
          type: 'response_item',
          payload: { type: 'function_call_output', call_id: `c${n}`, output: 'x' },
        },
      ]),
    ),
  ],
  'qwen-code': (cwd, files) => {
    const base = { sessionId: 's1', cwd, version: '0.24.4' };
    return [
      'qwen.jsonl',
      lines(
        {
          ...base,
          uuid: 'u',
          timestamp: time(0),
          type: 'user',
          provenance: 'real_user',
          message: { role: 'user', parts: [{ text: 'Look' }] },
        },
        ...files.flatMap((file_path, n) => [
          {
            ...base,
            uuid: `a${n}`,
            timestamp: time(n + 1),
            type: 'assistant',
            model: 'q',
            message: {
              role: 'model',
              parts: [{ functionCall: { id: `c${n}`, name: 'read_file', args: { file_path } } }],
            },
          },
          {
            ...base,
            uuid: `r${n}`,
            timestamp: time(n + 1.5),
            type: 'tool_result',
            message: { role: 'user', parts: [{ functionResponse: { id: `c${n}`, response: { output: 'x' } } }] },
            toolCallResult: { callId: `c${n}`, status: 'success' },
          },
        ]),
      ),
    ];
  },
  'copilot-cli': (cwd, files) => {
    const event = (second: number, type: string, data: object) => ({
      type,
      data,
      id: `e${second}`,
      timestamp: time(second),
      parentId: null,
    });
    const start = { sessionId: 's1', copilotVersion: '1.0.102', selectedModel: 'm', context: { cwd } };
    return [
      'events.jsonl',
      lines(
        event(0, 'session.start', start),
        event(0.5, 'user.message', { content: 'Look' }),
        ...files.flatMap((path, n) => {
          const call = { toolCallId: `c${n}`, name: 'view', arguments: { path } };
          return [
            event(n + 1, 'assistant.message', { content: 'ok', apiCallId: `a${n}`, toolRequests: [call] }),
            event(n + 1.2, 'tool.execution_start', { toolCallId: `c${n}`, toolName: 'view', arguments: { path } }),
            event(n + 1.5, 'tool.execution_complete', { toolCallId: `c${n}`, success: true, result: { content: 'x' } }),
          ];
        }),
      ),
    ];
  },
  opencode: (cwd, files) => {
    const at = (second: number) => Date.parse(time(second));
    const parts = files.map((filePath, n) => ({
      id: `p${n}`,
      type: 'tool',
      tool: 'read',
      callID: `c${n}`,
      state: { status: 'completed', input: { filePath }, output: 'x', time: { start: at(n), end: at(n + 1) } },
    }));
    const info = { id: 'msg_1', sessionID: 's', role: 'assistant', modelID: 'm', path: { cwd, root: cwd } };
    return [
      'opencode.json',
      JSON.stringify({
        info: { id: 's', directory: cwd, version: '1.18.0' },
        messages: [{ info: { ...info, time: { created: at(0), completed: at(99) } }, parts }],
      }),
    ];
  },
  pi: (cwd, files) => [
    '2026-05-04T00-00-00-000Z_s1.jsonl',
    lines(
      { type: 'session', version: 3, id: 's1', timestamp: time(0), cwd },
      ...files.flatMap((path, n) => [
        {
          type: 'message',
          id: `a${n}`,
          parentId: null,
          timestamp: time(n + 1),
          message: {
            role: 'assistant',
            model: 'm',
            responseId: `r${n}`,
            content: [{ type: 'toolCall', id: `c${n}`, name: 'read', arguments: { path } }],
            timestamp: Date.parse(time(n + 1)),
          },
        },
        {
          type: 'message',
          id: `r${n}`,
          parentId: null,
          timestamp: time(n + 1.5),
          message: {
            role: 'toolResult',
            toolCallId: `c${n}`,
            toolName: 'read',
            content: [{ type: 'text', text: 'x' }],
          },
        },
      ]),
    ),
  ],
};

describe.each(Object.entries(SYSTEMS))('paths of %s', (system, { cwd, project, own, outside }) => {
  const folder = join(place.path, system.replaceAll(/\W/g, '-'));
  const named = [...own, ...outside];
  mkdirSync(folder, { recursive: true });
  for (const [agent, write] of Object.entries(AGENTS)) {
    const files = named.map(([written]) => written);
    const [name, text] = write(cwd, files);
    mkdirSync(join(folder, agent));
    writeFileSync(join(folder, agent, name), text);
  }

  test('show the project by name and files from its root, whichever agent wrote them', () => {
    const ran = agentpprof(['--session-dir', folder, '--view', 'files', '--stack', 'agent,project,file', '-o', '-']);
    const shown = [...new Set(named.map(([, place]) => place))];
    const times = (place: string) => named.filter(([, each]) => each === place).length;
    const expected = Object.keys(AGENTS).flatMap(agent =>
      shown.map(place => `agent:${agent};project:${project};file:${place} ${times(place)}`),
    );
    expect(ran.out.trimEnd().split('\n').sort()).toEqual(expected.sort());
  });

  test('select the project by its root', () => {
    const total = (...args: string[]) => JSON.parse(agentpprof(['--session-dir', folder, ...args, '--json']).out).rows;
    expect(total('--project-root', cwd)).toBe(total());
  });

  test('never leave, nor the name of a user in them', () => {
    for (const extension of ['json', 'svg', 'folded', 'html', 'pb', 'speedscope.json']) {
      const path = join(place.path, `out.${extension}`);
      const stack = 'agent,project,session,cwd,tool,command,file,process,unsafe';
      expect(agentpprof(['--session-dir', folder, '--view', 'operations', '--stack', stack, '-o', path]).code).toBe(0);
      const text = readFileSync(path, 'latin1');
      expect(text).toContain(extension === 'pb' ? `project::${project}` : project);
      expect(text).not.toMatch(/quill|(?:[\\/]|%2F)Users[\\/]/i);
    }
    for (const command of ['sessions', 'reconcile'])
      expect(agentpprof([command, '--session-dir', folder, '--json']).out).not.toMatch(/quill|[\\/]Users[\\/]/i);
  });
});
