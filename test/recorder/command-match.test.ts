import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { isPersistentShell, matchCommand, shellText } from '../../src/recorder/command-match.ts';
import { onPath } from '../../src/recorder/find-engine.ts';

const home = mkdtempSync(join(tmpdir(), 'agentsight-shells-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const quoted = (text: string): string => `'${text.replaceAll("'", `'"'"'`)}'`;

describe('the text that a shell is asked to run', () => {
  const TEXT = 'printf "ran %s" "$((40 + 2))"';
  const FORMS = [
    'bash -c @',
    '/bin/bash -c -l @',
    'bash -l -c @',
    'bash -lc @',
    'bash -cl @ name argument',
    'bash --login -c @',
    'bash --norc --noprofile -c @',
    'bash -norc -c @',
    'bash --rcfile /dev/null -c @',
    'bash -rcfile /dev/null -c @',
    'bash -o pipefail -c @',
    'bash -c -o pipefail @',
    'bash -eo pipefail -c @',
    'bash -euo pipefail -c -l @',
    'bash -O extglob -c @',
    'bash +O extglob +o posix -c @',
    'bash -c -- @',
    'bash -c - @',
    'dash -c @',
    'dash -e -c @',
    'dash -ec @',
    'dash -c -e -o noclobber @',
    'sh -c -- @',
    'zsh -c -l @',
    'zsh -o nomatch -c @',
    'zsh -onomatch -c @',
    'ksh -o errexit -c @',
    'fish -c @',
    'fish -l -C true -c @',
    'fish --command=@',
    'fish --command @ -l',
    'env A=1 bash -c -l @',
    'timeout 60 sh -c @',
    'nice -n 1 bash -lc @',
  ];
  it.each(FORMS)('%s', form => {
    const argv = form.split(' ').map(word => word.replace('@', TEXT));
    expect([shellText(argv), isPersistentShell(argv)]).toEqual([TEXT, false]);
    // What is installed here must agree.
    const program = argv.find(word => /(?:^|\/)(?:bash|dash|sh|zsh|ksh|fish)$/.test(word)) as string;
    if (onPath(program, process.env) === undefined) return;
    const { stdout } = spawnSync(argv[0] as string, argv.slice(1), {
      env: { PATH: process.env.PATH, HOME: home },
      encoding: 'utf8',
    });
    expect(stdout).toContain('ran 42');
  });

  it.each([
    ['bash -i', undefined, true],
    ['bash -l -o pipefail', undefined, true],
    ['-bash', undefined, true],
    ['bash --norc --noprofile', undefined, true],
    ['bash -s -- argument', undefined, true],
    ['bash build.sh -c x', undefined, false],
    ['bash -x build.sh', undefined, false],
    ['bash -o pipefail build.sh', undefined, false],
    ['pwsh -NoProfile -Command Get-Item x', 'Get-Item x', false],
    ['pwsh -NoLogo', undefined, true],
    ['script -qec make', 'make', false],
    ['node server.js', undefined, false],
  ])('%s: %s, fed through its input: %s', (line, text, persistent) => {
    const argv = line.split(' ');
    expect([shellText(argv), isPersistentShell(argv)]).toEqual([text, persistent]);
  });
});

describe('a command inside what an agent made of it', () => {
  /** Prefaces and endings of Claude Code over its versions. */
  const PREFACE = 'source /home/u/.claude/shell-snapshots/snapshot-bash-1-a.sh';
  const after = 'pwd -P >| /tmp/claude-1a2b-cwd';
  const claude = (evaluated: string): string[] => [
    '/bin/bash',
    '-c',
    '-l',
    `${PREFACE} && eval ${evaluated} && ${after}`,
  ];
  it.each<[string, string, string[], ReturnType<typeof matchCommand>]>([
    ['in quotes', 'npm test', claude(`'npm test' \\< /dev/null`), 'exact'],
    ['its own quotes in those', `echo 'a b'`, claude(`${quoted(`echo 'a b'`)} < /dev/null`), 'exact'],
    [
      'behind options of the shell',
      'ls',
      [
        '/bin/zsh',
        '-c',
        '-l',
        `${PREFACE} 2>/dev/null || true && setopt NO_EXTENDED_GLOB 2>/dev/null || true && eval 'ls' \\< /dev/null && ${after}`,
      ],
      'exact',
    ],
    [
      'a pipeline with an input of nothing',
      'ps aux | grep uvicorn',
      claude(`'ps aux < /dev/null | grep uvicorn'`),
      'requoted',
    ],
    [
      'words quoted anew',
      'docker build -t a-test:latest . 2>&1 | tail -50',
      claude(`'docker build -t a-test\\:latest . 2>&1 < /dev/null | tail -50'`),
      'requoted',
    ],
    [
      'the pipe later than other commands, its own input of nothing kept',
      'cd x && nc h 1 < /dev/null | head -1 || echo none',
      claude(`'cd x && nc h 1 < /dev/null < /dev/null | head -1 || echo none'`),
      'requoted',
    ],
    [
      'an exclamation mark behind a stroke',
      `echo "it's done!"`,
      claude(`"echo \\"it's done\\!\\"" \\< /dev/null`),
      'requoted',
    ],
    [
      'a variable that came out empty',
      'X=a && echo $X $Y | cat',
      claude(`'X=a && echo   < /dev/null | cat'`),
      'requoted',
    ],
    ['lines that became one', 'echo a\necho b | cat', claude(`'echo a echo b < /dev/null | cat'`), 'requoted'],
    ['a pipe in quotes taken for one', `rg "a|b" src`, claude(`'rg "a < /dev/null | b" src'`), 'requoted'],
    [
      'behind a program that is put before every command',
      `grep 'x y' a`,
      [
        '/bin/bash',
        '-c',
        '-l',
        `/opt/log.sh ${quoted(`${PREFACE} && eval ${quoted(`grep 'x y' a`)} < /dev/null && ${after}`)}`,
      ],
      'exact',
    ],
    [
      'in a sandbox',
      `grep 'x y' a | wc -l`,
      [
        '/bin/bash',
        '-c',
        `bwrap --ro-bind / / -- /bin/bash -c ${quoted(`${PREFACE} && eval ${quoted(`grep 'x y' a < /dev/null | wc -l`)}`)}`,
      ],
      'requoted',
    ],
    ['handed on in quotes', `make 'a b'`, ['bash', '-c', `limit 9 sh -c ${quoted(`make 'a b'`)}`], 'contained'],
    ['but not another pipeline', 'ps aux | grep gunicorn', claude(`'ps aux < /dev/null | grep uvicorn'`), undefined],
    ['nor a longer one', 'ps aux', claude(`'ps aux < /dev/null | grep uvicorn'`), 'contained'],
    ['nor nothing but a variable', '$X', claude(`'$Y'`), undefined],
  ])('%s', (_, command, argv, expected) => {
    expect(matchCommand(command, argv, false)).toBe(expected);
  });

  it('is found whatever quotes its words are given, and no other command is', () => {
    const word = fc.string({ unit: fc.constantFrom(...'ab:!*(=é '.split('')), minLength: 1, maxLength: 5 });
    const style = fc.constantFrom<(text: string) => string>(
      quoted,
      text => `"${text.replace(/(["\\$`!])/g, '\\$1')}"`,
      text => text.replace(/([^\p{L}])/gu, '\\$1'),
    );
    const said = fc.record({ word, asked: style, given: style });
    const pipeline = fc.array(fc.array(said, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 3 });
    const written = (parts: readonly (readonly string[])[], input: string): string =>
      parts.map((words, at) => words.join(' ') + (at === 0 ? input : '')).join(' | ');
    fc.assert(
      fc.property(pipeline, fc.boolean(), (parts, other) => {
        const asked = written(
          parts.map(part => part.map(({ word: text, asked: say }) => say(text))),
          '',
        );
        const given = written(
          parts.map(part => part.map(({ word: text, given: say }) => say(other ? `${text}x` : text))),
          ' < /dev/null',
        );
        expect(matchCommand(asked, claude(quoted(given)), false)).toBe(other ? undefined : 'requoted');
      }),
    );
  });
});
