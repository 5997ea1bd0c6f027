import { describe, expect, test } from 'vitest';
import { csv } from '../../src/exports/csv.ts';
import type { Exported } from '../../src/exports/exported.ts';
import { openmetrics } from '../../src/exports/openmetrics.ts';
import { microDollars } from '../../src/money/round.ts';
import { Flag } from '../../src/trace/flags.ts';
import { Trace } from '../../src/trace/trace.ts';
import { operationsOf } from '../support/operations.ts';

function exportedOf(story: string): Exported {
  const ops = operationsOf(story);
  const trace = new Trace(ops);
  const rows = Uint32Array.from({ length: ops.length }, (_, row) => row).filter(row => !ops.has(row, Flag.copy));
  return { trace, rows, shown: (_, value) => value, keyed: identity => identity };
}

/** The cells of RFC 4180 text, read by a few lines of their own. */
function cellsOf(text: string): string[][] {
  return text
    .trimEnd()
    .split('\r\n')
    .map(line =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(([, a, b]) =>
        (a ?? b ?? '').replaceAll('""', '"'),
      ),
    );
}

const STORY = `
  session s1 project=web
    prompt 0   "fix it" #p1
    call 0-3 opus in=10 cr=20 cw=5 out=7 rea=2 #m1
    tool 3-5 Bash status=error error=exit-1 #t1
    call 6-7 =SUM(A1) in=1 out=1 #m2
    call 8-9 haiku unknownUsage
`;

describe('csv', () => {
  const [head = [], ...lines] = cellsOf([...csv(exportedOf(STORY), microDollars)].join(''));
  const column = (name: string) => lines.map(line => line[head.indexOf(name)]);

  test('has a line an operation, in the order of time, and as many cells in each', () => {
    expect(column('kind')).toEqual(['prompt', 'call', 'tool', 'call', 'call']);
    expect(lines.map(line => line.length)).toEqual(lines.map(() => head.length));
  });

  test('has measures that add up to those of all operations', () => {
    const sum = (name: string) => column(name).reduce((all, cell) => all + Number(cell), 0);
    expect(
      ['input_tokens', 'cache_read_tokens', 'cache_write_tokens', 'output_tokens', 'reasoning_tokens'].map(sum),
    ).toEqual([11, 20, 5, 8, 2]);
    expect([sum('tokens'), sum('errors'), sum('operations')]).toEqual([46, 1, 5]);
  });

  test('has no cell that a spreadsheet would run', () => {
    expect(column('model')).toContain("'=SUM(A1)");
  });
});

describe('openmetrics', () => {
  const text = openmetrics(exportedOf(`${STORY}\n  call 9-10 a"b\\c out=3`));

  test('sums by label, and ends as it must', () => {
    expect(text).toContain('agentpprof_tokens_total{agent="claude-code",model="opus",token="cache_read"} 20\n');
    expect(text).toContain('agentpprof_calls_total{agent="claude-code",model="opus"} 1\n');
    expect(text).toContain('agentpprof_tool_calls_total{agent="claude-code",tool="Bash",status="error"} 1\n');
    expect(text).toContain('agentpprof_calls_of_unknown_usage_total{agent="claude-code",model="haiku"} 1\n');
    expect(text).toContain('agentpprof_sessions_total{agent="claude-code"} 1\n');
    expect(text.endsWith('# EOF\n')).toBe(true);
  });

  test('escapes what a name may hold', () => {
    expect(text).toContain('model="a\\"b\\\\c"');
  });

  test('is lines of the format and nothing else', () => {
    for (const line of text.trimEnd().split('\n'))
      expect(line).toMatch(/^(# (TYPE|UNIT|HELP|EOF).*|[a-z_]+_total\{([a-z_]+="(\\.|[^"\\])*",?)*\} \d+(\.\d{9})?)$/);
  });
});
