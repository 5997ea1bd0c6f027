import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attachEffects } from '../../src/effects/attach.ts';
import { Project } from '../../src/effects/paths.ts';
import { loadShellParser, readShell } from '../../src/effects/shell.ts';
import { Kind, NO_ROW } from '../../src/trace/kinds.ts';
import type { TouchKind } from '../../src/trace/touches.ts';
import { CORPUS, corpusCommands, HAS_CORPUS } from './notation.ts';
import { drawn, ROOT, touched } from './touched.ts';

/** Runs of real agents whose effects were worked out by hand from the tool calls their model asked for. */
const RUNS: readonly (readonly [string, readonly string[]])[] = [
  [
    'claude-code-2.1.332/a-edit-test',
    ['Read', '  read src/add.mjs', 'Edit', '  write src/add.mjs', 'Bash | node --test', 'Write', '  write NOTES.md'],
  ],
  [
    'claude-code-2.1.332/c-fail-retry',
    [
      'Bash | node --test',
      'Bash | node --test',
      'Bash | cat',
      '  read src/ad.mjs @cat',
      'Read',
      '  read src/nope.mjs',
      'Read',
      '  read src/add.mjs',
      'Edit',
      '  write src/add.mjs',
      'Edit',
      '  write src/add.mjs',
      'Bash | node --test',
    ],
  ],
  [
    'claude-code-2.0.60/d-subagent',
    ['Bash | ls', '  read src @ls', 'Bash | ls', '  read test @ls', 'Read', '  read src/add.mjs', 'Bash | git status'],
  ],
  [
    'codex-0.98.0/f-parallel',
    [
      'exec_command | cat',
      '  read src/add.mjs @cat',
      'exec_command | cat',
      '  read src/mul.mjs @cat',
      'exec_command | sleep',
      'exec_command | sleep',
      'exec_command | sleep',
      'exec_command | sleep',
    ],
  ],
  ['codex-0.171.0/h-compact', ['exec_command | cat', '  read src/mul.mjs @cat', 'exec_command | ls']],
  [
    'gemini-cli-0.61.0/b-resume',
    [
      'read_file',
      '  read src/mul.mjs',
      'run_shell_command | ls',
      '  read src @ls',
      '  read test @ls',
      'read_file',
      '  read src/add.mjs',
      'replace',
      '  write src/add.mjs',
    ],
  ],
];

const PATH_TOOLS: Readonly<Record<string, TouchKind>> = {
  Read: 'read',
  read_file: 'read',
  Edit: 'write',
  replace: 'write',
  Write: 'write',
};

describe('real runs, by hand', () => {
  it.skipIf(!HAS_CORPUS).each(RUNS)('%s', async (run, expected) => {
    const file = join(CORPUS, 'real-agents', run, 'truth.json');
    expect(existsSync(file)).toBe(true);
    const { toolCalls } = JSON.parse(readFileSync(file, 'utf8')) as {
      toolCalls: { name: string; input: { file_path?: string; command?: string; cmd?: string } }[];
    };
    const root =
      toolCalls.map(call => /^(.*\/repo)\//.exec(call.input.file_path ?? '')?.[1]).find(found => found) ?? ROOT;
    const ops = touched('session claude-code');
    for (const { name, input } of toolCalls) {
      const kind = PATH_TOOLS[name];
      const line = input.command ?? input.cmd;
      if (!kind && line === undefined) continue;
      const row = ops.add(Kind.tool, 0, NO_ROW, 1, 0, 0, 0);
      ops.field.tool.set(row, name);
      ops.field.cwd.set(row, root);
      if (kind) ops.touches.add(row, kind, input.file_path ?? '');
      else ops.touches.add(row, 'shell', line ?? '');
    }
    await attachEffects(ops, () => ({ roots: [root] }));
    expect(drawn(ops)).toEqual(expected);
  });
});

describe.skipIf(!HAS_CORPUS)('every command line of the corpus', () => {
  it('is understood whole, PowerShell aside', async () => {
    const parser = await loadShellParser();
    const lines = corpusCommands('sessions', 'real-agents', 'trajectories/codetracer-claude-code');
    const partial = lines.filter(line => readShell(line, parser).reading.partial);
    expect(partial.filter(line => !/\$\w+ ?\+?=|\b[A-Z][a-z]+-[A-Z]/.test(line))).toEqual([]);
    expect(partial.length).toBeLessThan(40);
  });

  it('shows no absolute path and few command names', async () => {
    const parser = await loadShellParser();
    const lines = corpusCommands('sessions', 'real-agents', 'trajectories/codetracer-claude-code');
    const project = new Project(['/app', '/home/user/project']);
    const commands = new Set<string>();
    for (const line of lines) {
      const { command, effects } = readShell(line, parser).reading;
      commands.add(command);
      for (const { kind, value } of effects) {
        const shown = kind === 'contact' ? value : project.place(value, '/app');
        expect(shown).not.toMatch(/^[/~]|^[A-Za-z]:[\\/]|\/(?:home|Users)\/|^\.\.\//);
      }
    }
    expect(commands.size).toBeLessThan(lines.length / 8);
  });
});
