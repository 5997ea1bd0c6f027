import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readHead, readRecords } from '../../../src/ingest/records.ts';
import { claudeCode } from '../../../src/sources/claude-code/reader.ts';
import { fileLedger } from '../../../src/sources/ledger.ts';
import { Kind } from '../../../src/trace/kinds.ts';
import { link } from '../../../src/trace/link.ts';
import { Operations } from '../../../src/trace/operations.ts';
import {
  countOf,
  everything,
  FIXTURES,
  filesBelow,
  isTranscript,
  read,
  readFiles,
  recordsOf,
  SHARED,
  shrunk,
  sumsByModel,
} from './reading.ts';

const WHERE = SHARED === '' ? ' (skipped: no shared corpus beside the project; AGENTPPROF_SHARED names it)' : '';
const RUNS = join(SHARED, 'real-agents');
const SESSIONS = join(SHARED, 'sessions');

interface Truth {
  prompts: { prompt: string }[];
  toolCalls: unknown[];
  usageByModel: Record<
    string,
    { requests: number; input: number; cache_read: number; cache_write: number; output: number; total: number }
  >;
}

function json<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}

const expected =
  SHARED === ''
    ? {}
    : json<Record<string, { agent: string; total: number; files_tell_all: boolean }>>(join(RUNS, 'expected.json'));
const runs = Object.keys(expected).filter(run => expected[run]?.agent === 'claude-code');

/** Runs whose files do not tell all that was used, with what they do tell and why it is less. */
const SIDE = 'requests to a small model for topics, titles and command prefixes are written nowhere';
const LESS: Record<string, { total: number; why: string }> = {
  'claude-code-1.0.92/a-edit-test': { total: 60674, why: SIDE },
  'claude-code-1.0.92/b-resume': { total: 86848, why: SIDE },
  'claude-code-1.0.92/f-parallel': { total: 36708, why: SIDE },
  'claude-code-2.0.60/a-edit-test': { total: 85468, why: `${SIDE}; the two cache warmers are` },
  'claude-code-2.0.60/b2-fork': { total: 98072, why: `${SIDE}; the cache warmers of both processes are` },
  'claude-code-2.0.60/d-subagent': { total: 124798, why: `${SIDE}; the two cache warmers are` },
};

describe.skipIf(SHARED === '')(`runs of real clients give what was billed${WHERE}`, () => {
  it('all of them are looked at', () => {
    expect(runs.length).toBeGreaterThanOrEqual(12);
    expect(runs.filter(run => !expected[run]?.files_tell_all).sort()).toEqual(Object.keys(LESS).sort());
  });

  it.each(runs)('%s', run => {
    const got = readFiles(filesBelow(join(RUNS, run, 'home'), isTranscript));
    const truth = json<Truth>(join(RUNS, run, 'truth.json'));
    const sums = sumsByModel(got);
    const total = Object.values(sums).reduce((sum, model) => sum + model.total, 0);
    expect(total).toBe(expected[run]?.total);
    if (expected[run]?.files_tell_all) {
      const billed = Object.entries(truth.usageByModel).map(([model, { requests, ...usage }]) => [
        model,
        { calls: requests, ...usage },
      ]);
      expect(sums).toEqual(Object.fromEntries(billed));
    } else expect(total).toBe(LESS[run]?.total);
    expect(countOf(got, Kind.tool)).toBe(truth.toolCalls.length);
    // A slash command is typed by a person too, but it is an event of its own.
    expect(countOf(got, Kind.prompt)).toBe(truth.prompts.filter(each => !each.prompt.startsWith('/')).length);
    expect(got.ledgers.flatMap(ledger => [...ledger.unknown.keys()])).toEqual([]);
  });

  it.each(runs)('%s, whatever the order of its files', run => {
    const paths = filesBelow(join(RUNS, run, 'home'), isTranscript);
    expect(sumsByModel(readFiles([...paths].reverse()))).toEqual(sumsByModel(readFiles(paths)));
  });

  it.each(runs)('%s: every call has its turn, and every subagent its call', run => {
    const got = readFiles(filesBelow(join(RUNS, run, 'home'), isTranscript));
    const links = link(got.out);
    const spawned = got.out.sessions.all.filter(session => session.parent !== undefined && session.warmer !== true);
    const linked = got.out.sessions.all.filter(
      (_, at) => (links.depth[at] as number) > 0 && links.spawn[at] !== 0xffffffff,
    );
    expect(linked.map(session => session.id)).toEqual(spawned.map(session => session.id));
    expect(links.orphans).toBe(0);
  });
});

/** Record types in the corpus that are no types of this agent: a fixture of another project made them up. */
const MADE_UP: Record<string, number> = { tool_use: 1, tool_result: 1 };

const real = SHARED === '' ? [] : filesBelow(join(SESSIONS, 'claude-code'), isTranscript);

describe.skipIf(SHARED === '')(`sessions of real people${WHERE}`, () => {
  it('every line of every file is read, bad, or counted as unknown', () => {
    const unknown: Record<string, number> = {};
    for (const path of real) {
      const out = new Operations();
      const ledger = fileLedger(path, claudeCode.agent);
      const sink = claudeCode.open({ index: 0, path, sibling: () => undefined }, out, ledger);
      let records = 0;
      const outcome = readRecords(path, claudeCode.keep, (value, offset, bytes) => {
        records++;
        sink.record(value, offset, bytes);
      });
      sink.end();
      expect(records + outcome.badLines).toBe(outcome.lines + (outcome.tornTail ? 1 : 0));
      for (const [type, count] of ledger.unknown) unknown[type] = (unknown[type] ?? 0) + count;
    }
    expect(unknown).toEqual(MADE_UP);
  });

  it('ingest delivers what the tests’ own small loop delivers', () => {
    for (const path of real.slice(0, 12)) {
      const viaIngest: unknown[] = [];
      readRecords(path, claudeCode.keep, value => viaIngest.push(value));
      expect(everything(read({ [path]: viaIngest }))).toEqual(everything(read({ [path]: recordsOf(path) })));
    }
  });

  it('tokens are those of the largest row of each answer, counted by hand', () => {
    const best = new Map<string, number>();
    const note = (
      row: { type?: string; message?: { id?: string; model?: string; usage?: Record<string, number> } } | undefined,
    ) => {
      const { id, usage, model } = row?.message ?? {};
      if (row?.type !== 'assistant' || !id || !usage || model === '<synthetic>') return;
      const sum = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'].reduce(
        (all, name) => all + (usage[name] ?? 0),
        0,
      );
      best.set(id, Math.max(best.get(id) ?? 0, sum));
    };
    for (const record of real.flatMap(recordsOf) as { data?: { message?: object } }[]) {
      note(record as never);
      note(record.data?.message as never);
    }
    const sums = Object.values(sumsByModel(readFiles(real)));
    // A few made-up fixtures have answers without an id; they hold no tokens.
    expect(sums.reduce((all, model) => all + model.total, 0)).toBe(
      [...best.values()].reduce((all, one) => all + one, 0),
    );
  });

  it('a prompt typed into a busy session is there once, with those that were not', () => {
    const path = real.find(each => each.includes('1c341e47')) as string;
    const { out } = readFiles([path]);
    const prompts = [...Array(out.length).keys()]
      .filter(row => out.kind.get(row) === Kind.prompt)
      .map(row => out.texts.get('prompt', row).slice(0, 24));
    expect(prompts).toEqual([
      'have a look at linear EN',
      "I wouldn't be surprised ",
      'when was the saveChanges',
      'next one: https://linear',
      'open up an appropriate b',
      'open up an appropriate b',
    ]);
  });
});

describe('a file is told by its content', () => {
  const heads = (paths: string[]) =>
    paths.map(path => [path, readHead(path, 20)] as const).filter(([, head]) => !head.empty);

  it('the fixtures are all this agent’s', () => {
    for (const [path, head] of heads(filesBelow(FIXTURES, isTranscript)))
      expect([path, claudeCode.sniff({ path, records: head.records })]).toEqual([path, true]);
  });

  it.skipIf(SHARED === '')(`so are all transcripts of the corpus, and no file of another agent${WHERE}`, () => {
    const wrong: string[] = [];
    for (const [path, head] of heads(
      filesBelow(SHARED, path => /\.jsonl?$/.test(path) && !path.includes('/trajectories/')),
    )) {
      // Two folders of foreign tests hold this agent's rows.
      const ours = /[/]claude-code|[/]misc[/].*(claude|security)[/]/.test(path) && isTranscript(path);
      if (claudeCode.sniff({ path, records: head.records }) !== ours) wrong.push(path.slice(SHARED.length));
    }
    expect(wrong).toEqual([]);
  });

  it.each<[string, unknown[]]>([
    [
      'rows of the same outline with message.parts',
      [{ type: 'user', uuid: 'u', sessionId: 's', message: { role: 'user', parts: [] } }],
    ],
    ['its telemetry rows', [{ type: 'system', subtype: 'ui_telemetry', uuid: 'u', sessionId: 's', systemPayload: {} }]],
    ['rows without a session', [{ type: 'user', message: { role: 'user', content: 'x' } }]],
    ['the prompts of history.jsonl', [{ display: 'x', project: '/w', sessionId: 's', timestamp: 1 }]],
    ['a workflow’s journal', [{ type: 'started', key: 'k', agentId: 'a' }]],
    ['no records at all', []],
  ])('%s are another’s', (_, records) => {
    expect(claudeCode.sniff({ path: '/p/x.jsonl', records })).toBe(false);
  });
});

describe('what is kept of a record', () => {
  it('texts of people and arguments are whole, results are short, thinking and pictures are gone', () => {
    const long = 'x'.repeat(50_000);
    const record = {
      type: 'user',
      uuid: 'u',
      shape: { system: long },
      message: {
        role: 'user',
        content: [
          { type: 'text', text: long },
          { type: 'tool_use', id: 't', input: { a: [{ b: long }] } },
          { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: long }] },
          { type: 'thinking', thinking: long, signature: long },
          { type: 'image', source: { data: long } },
        ],
      },
      toolUseResult: { stdout: long, file: { content: long }, status: 'completed' },
      attachment: { type: 'prompt_snapshot', system: long, tools: [long] },
    };
    const text = JSON.stringify(shrunk(record));
    expect(text.length).toBeLessThan(2 * long.length + 1000);
    expect(shrunk(record)).toMatchObject({
      message: {
        content: [
          { text: long },
          { input: { a: [{ b: long }] } },
          { content: [{ text: 'x'.repeat(200) }] },
          { type: 'thinking' },
          { type: 'image' },
        ],
      },
      toolUseResult: { status: 'completed' },
    });
  });
});

describe.skipIf(SHARED === '')(`trajectories of others, saved as streams${WHERE}`, () => {
  interface Trajectory {
    readonly file: string;
    readonly tool_uses: number;
  }
  const top = join(SHARED, 'trajectories/codetracer-claude-code');

  it('have as many tool calls as their index says, each by itself', () => {
    const index = json<Trajectory[]>(join(top, 'index.json'));
    expect(index.length).toBeGreaterThan(300);
    const wrong = index.flatMap(({ file, tool_uses }) => {
      const tools = countOf(readFiles([join(top, file)]), Kind.tool);
      return tools === tool_uses ? [] : [`${file}: ${tools} of ${tool_uses}`];
    });
    expect(wrong).toEqual([]);
  });
});
