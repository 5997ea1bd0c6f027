import { type Query, rankingResults } from '../evaluation/ranking.ts';
import { rowsBySession } from '../meaning/segmentation/steps.ts';
import { groupsOf, rank } from '../profile/rank.ts';
import { counted } from '../trace/counted.ts';
import type { Trace } from '../trace/trace.ts';
import { UsageError } from '../trace/usage-error.ts';
import { integerOf, MOST_DRAWS } from './evaluate.ts';
import { readHistory } from './history.ts';
import type { HistoryFlags } from './options.ts';
import { print } from './segment.ts';
import { drawTable } from './table.ts';

interface EvaluateRankingFlags extends HistoryFlags {
  gold: string;
  score: string[];
  group: string;
  draws: string;
  json?: boolean;
}

const NEGATIVE: ReadonlySet<string> = new Set(['', '0', 'false', 'no']);

export async function evaluateRanking(flags: EvaluateRankingFlags): Promise<void> {
  const draws = integerOf(flags.draws, '--draws', 1, MOST_DRAWS);
  const { trace, rows } = await readHistory(flags, {});
  const fields = flags.group.split(',').map(name => name.trim());
  for (const [flag, names] of [
    ['--gold', [flags.gold]],
    ['--score', flags.score],
    ['--group', fields],
  ] as const)
    for (const name of names) checkField(trace, name, flag);
  if (fields.includes(flags.gold)) throw new UsageError('--group: the gold field may not be among what is alike.');
  const sessions = [...rowsBySession(trace, rows).values()];
  const rankings = new Map<string, Query[]>();
  const add = (name: string, scores: (row: number, at: number) => number) =>
    rankings.set(
      name,
      sessions.map(own => ({
        scores: own.map(scores),
        positive: own.map(row => !NEGATIVE.has(trace.value(flags.gold, row).toLowerCase())),
      })),
    );
  const groups = groupsOf(trace, sessions.flat(), fields);
  const direct = new Map(rank(trace, groups).map(each => [each.row, each]));
  add('rank', row => (direct.get(row)?.direct ?? 0) + (direct.get(row)?.group.bound ?? 0));
  add('failed-alone', row => direct.get(row)?.direct ?? 0);
  for (const name of flags.score) add(name, row => Number(trace.value(name, row)) || 0);
  add('control: all equal', () => 0);
  add('control: earliest first', (_, at) => -at);
  add('control: latest first', (_, at) => at);
  const { queries, skipped, results } = rankingResults(rankings, draws);
  if (queries === 0) throw new UsageError(`--gold: no session has an operation whose ${flags.gold} is true.`);
  print(
    flags.json,
    {
      schema: 'agentpprof.evaluate-ranking/1',
      queries,
      skipped,
      results: results.map(({ ranking, map, interval, random, first, last }) => ({
        ranking,
        map,
        map_interval: interval,
        map_random_ties: random,
        map_first_ties: first,
        map_last_ties: last,
      })),
    },
    [
      `${counted(queries, 'session')} with a positive, ${skipped} without left out`,
      drawTable(
        ['ranking', 'MAP', '95 %', 'ties at random', 'earliest first', 'latest first'].map((title, at) => ({
          title,
          right: at > 0,
        })),
        results.map(({ ranking, map, interval, random, first, last }) => [
          ranking,
          map.toFixed(3),
          interval.map(value => value.toFixed(3)).join('-'),
          ...[random, first, last].map(value => value.toFixed(3)),
        ]),
      ).trimEnd(),
    ],
  );
}

function checkField(trace: Trace, name: string, flag: string): void {
  if (!trace.names().includes(name))
    throw new UsageError(
      `${flag}: there is no field ${JSON.stringify(name)}. Known fields: ${trace.names().join(', ')}.`,
    );
}
