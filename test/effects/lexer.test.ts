import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lexShell } from '../../src/effects/shell/lexer.ts';
import { treeShell } from '../../src/effects/shell/tree.ts';
import { loadShellParser, readShell } from '../../src/effects/shell.ts';
import { corpusCommands, HAS_CORPUS, readingText, scriptText } from './notation.ts';

const parser = await loadShellParser();
if (!parser) throw new Error('the shell grammar is not installed');

/** Both parsers' scripts, where the lexer takes the line and the grammar understands it. */
function both(line: string): { lexer: string; tree: string } | undefined {
  const script = lexShell(line);
  const tree = treeShell(line, parser!.tree);
  return script && !tree.broken ? { lexer: scriptText(script), tree: scriptText(tree.script) } : undefined;
}

const word = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'a',
      'src/x.ts',
      '-n',
      '--all',
      '*.c',
      'x=1',
      '5',
      '~/f',
      '/tmp/y',
      '日本',
      'a{b,c}d',
      '#x',
      'a#b',
      '%s',
      '{}',
    ),
  },
  fc.constantFrom(
    "'a b'",
    '"a b"',
    '"a $X b"',
    '"$X/y"',
    '$HOME/z',
    `\${X}`,
    'a\\ b',
    '"q\\"q"',
    "'~/q'",
    '"~"',
    '"a$"',
    '" $X"',
    `" \${X} y"`,
    '$?',
    `"\${X}y"`,
    'a\'b\'"c"',
    '$1',
  ),
);
const redirect = fc.constantFrom(
  '> out',
  '>> "o p"',
  '2>/dev/null',
  '2>&1',
  '< in',
  '&> all',
  '>| f',
  '<<< "$X"',
  '>&2',
);
const simple = fc
  .tuple(
    fc.array(fc.constantFrom('X=1', 'Y="a b"', 'Z=$X', 'W='), { maxLength: 2 }),
    fc.constantFrom('cat', 'cd', 'rm', 'echo', 'git', '"$X"', './run.sh', '[', 'time', '/bin/ls'),
    fc.array(word, { maxLength: 4 }),
    fc.array(redirect, { maxLength: 2 }),
  )
  .map(([assigns, name, words, redirects]) => {
    // A `#` word would start a comment, and a bracket needs its end.
    const kept = words.filter(text => !text.startsWith('#'));
    const test = name === '[' ? ['[', '-f', 'x', ']'] : [name, ...kept];
    return [...(name === '[' ? [] : assigns), ...test, ...redirects].join(' ');
  });

const line: fc.Arbitrary<string> = fc.letrec<{ list: string; command: string }>(tie => ({
  command: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'shell' },
    { weight: 8, arbitrary: simple },
    { weight: 1, arbitrary: tie('list').map(list => `(${list})`) },
    { weight: 1, arbitrary: tie('list').map(list => `{ ${list}; }`) },
    { weight: 1, arbitrary: tie('list').map(list => `echo "$(${list})" x`) },
    // The grammar loses a group behind `!`, and a lone `-` before `2>&1`: neither is generated.
    { weight: 1, arbitrary: simple.map(text => `! ${text}`) },
    { weight: 1, arbitrary: fc.tuple(tie('list'), tie('list')).map(([a, b]) => `if ${a}; then ${b}; fi`) },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('list'), tie('list')).map(([a, b]) => `if ${a}; then ${b}; else ${a}; fi > o`),
    },
    { weight: 1, arbitrary: tie('list').map(list => `for f in a $X *.c; do ${list}; done`) },
    { weight: 1, arbitrary: fc.tuple(tie('list'), tie('list')).map(([a, b]) => `while ${a}; do\n${b}\ndone < in`) },
    { weight: 1, arbitrary: simple.map(text => `${text} <<'EOF'\nrm -rf / $(x)\nEOF\n`) },
  ),
  list: fc
    .array(
      fc.tuple(tie('command'), fc.constantFrom(' && ', ' || ', ' | ', '; ', '\n', ' & ', ' && # note\n', ' |\n')),
      { minLength: 1, maxLength: 3 },
    )
    .map(parts =>
      parts.map(([text, operator], index) => (index === parts.length - 1 ? text : text + operator)).join(''),
    ),
})).list;

describe('the lexer says what the syntax tree says', () => {
  it('on generated command lines', () => {
    let compared = 0;
    fc.assert(
      fc.property(line, text => {
        const scripts = both(text);
        if (!scripts) return;
        compared++;
        expect(scripts.lexer).toBe(scripts.tree);
      }),
      { numRuns: 600 },
    );
    expect(compared).toBeGreaterThan(200);
  });

  it.skipIf(!HAS_CORPUS)('on every command line of the corpus it takes, which is nearly every one', () => {
    const lines = corpusCommands('sessions', 'real-agents', 'trajectories/codetracer-claude-code');
    const compared = lines.filter(text => {
      const scripts = both(text);
      if (scripts) expect(scripts.lexer).toBe(scripts.tree);
      return scripts !== undefined;
    });
    expect(lines.length).toBeGreaterThan(2500);
    expect(compared.length / lines.length).toBeGreaterThan(0.97);
  });
});

describe('command lines from anywhere', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc
      .array(
        fc.constantFrom(
          ...' \n\t;&|<>(){}[]$"\'\\`#=~*?!:,',
          'cat',
          'rm',
          'a',
          'EOF',
          '<<',
          '$(',
          'if',
          'then',
          'fi',
          'do',
          '__proto__',
        ),
        { maxLength: 60 },
      )
      .map(parts => parts.join('')),
    line,
  );

  it('never throw and always have a short name', () => {
    fc.assert(
      fc.property(anything, text => {
        for (const reading of [readShell(text).reading, readShell(text, parser).reading]) {
          expect(reading.command.length).toBeGreaterThan(0);
          expect(reading.command.length).toBeLessThan(120);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('say the same whenever they are asked', () => {
    fc.assert(
      fc.property(anything, text => {
        expect(readingText(readShell(text, parser).reading)).toBe(readingText(readShell(text, parser).reading));
      }),
      { numRuns: 300 },
    );
  });
});
