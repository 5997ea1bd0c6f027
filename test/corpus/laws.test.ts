import { openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attachEffects } from '../../src/effects/attach.ts';
import { tagOperations } from '../../src/meaning/tagging/apply.ts';
import { loadTagger } from '../../src/meaning/tagging/tagger.ts';
import { readTaggerSources } from '../../src/meaning/tagging/tagger-sources.ts';
import { priceCalls } from '../../src/money/apply.ts';
import { loadPriceTable } from '../../src/money/price.ts';
import { microDollars } from '../../src/money/round.ts';
import { VIEWS } from '../../src/profile/views.ts';
import { discover } from '../../src/sources/discover.ts';
import { load } from '../../src/sources/load.ts';
import { READERS } from '../../src/sources/registry.ts';
import { Flag } from '../../src/trace/flags.ts';
import { Kind } from '../../src/trace/kinds.ts';
import { MEASURES } from '../../src/trace/measures.ts';
import { Trace } from '../../src/trace/trace.ts';
import { SHARED } from '../cli/program.ts';
import { drawn, foldView, total } from '../support/folding.ts';

async function corpus() {
  const discovery = discover(
    {
      homes: [],
      sessionFiles: [],
      sessionDirs: [join(SHARED!, 'corpus/sessions'), join(SHARED!, 'corpus/real-agents')],
      agents: [],
    },
    READERS,
  );
  const histories = load(discovery, { texts: ['prompt'] });
  const { ops } = histories;
  await attachEffects(ops, at => ({ roots: ops.sessions.all[at]?.roots ?? [] }));
  const trace = new Trace(ops);
  const tags = tagOperations(ops, await loadTagger(await readTaggerSources({ preset: true })));
  trace.register('prompt', { column: tags.prompt, through: 'prompt' });
  trace.register('call', { column: tags.call, through: 'call' });
  const money = priceCalls(ops, await loadPriceTable());
  trace.cost = money.cost;
  return { trace, histories, money };
}

describe.skipIf(!SHARED)('the laws over every file of the corpus (needs the shared corpus)', async () => {
  const { trace, histories, money } = SHARED ? await corpus() : (undefined as never);

  test('conservation: every view holds exactly what the operations hold, for every measure', () => {
    const { ops } = trace;
    const sums = Object.fromEntries(MEASURES.map(measure => [measure.name, 0n])) as Record<string, bigint>;
    const add = (name: string, value: number) => {
      sums[name] = sums[name]! + BigInt(value);
    };
    for (let row = 0; row < ops.length; row++) {
      if (ops.has(row, Flag.copy)) continue;
      const kind = ops.kind.get(row);
      add('operations', kind === Kind.prompt || kind === Kind.call || kind === Kind.tool ? 1 : 0);
      add('files', kind === Kind.effect && ops.field.file.get(row) !== '' ? 1 : 0);
      add('network', ops.field.domain.get(row) !== '' ? 1 : 0);
      add('errors', kind !== Kind.effect && ops.field.status.get(row) === 'error' ? 1 : 0);
      add('time', trace.times.time.get(row));
      for (const [name, column] of Object.entries(ops.tokens)) {
        add(name.startsWith('cache_write') ? 'cache_write_tokens' : name, column.get(row));
        add('tokens', column.get(row));
      }
    }
    sums.cost = microDollars([money.summary.nanoDollars])[0]!;
    expect(sums.tokens).toBeGreaterThan(10_000_000n);
    for (const view of VIEWS) {
      const profile = foldView(trace, view.name);
      const values = profile.measures.map((measure, at) =>
        measure.name === 'cost'
          ? [measure.name, undefined]
          : [measure.name, total(profile, profile.measures[at]!.name)],
      );
      expect([view.name, ...values]).toEqual([
        view.name,
        ...MEASURES.map(measure => [measure.name, measure.name === 'cost' ? undefined : sums[measure.name]]),
      ]);
    }
  });

  test('every line is accounted for: read, bad, or torn at the end', () => {
    for (const ledger of histories.ledgers)
      expect([ledger.path, ledger.lines > 0 || ledger.tornTail || ledger.bytes < 10]).toEqual([ledger.path, true]);
    expect(histories.discovery.problems).toEqual([]);
  });

  test('evidence: every operation stands in the byte range it names', () => {
    const { ops } = trace;
    const open = new Map<number, number>();
    for (let row = 0; row < ops.length; row += 7) {
      const file = ops.file.get(row);
      const { path } = histories.ledgers[file]!;
      if (!path.endsWith('.jsonl')) continue;
      if (!open.has(file)) open.set(file, openSync(path, 'r'));
      const bytes = Buffer.alloc(ops.bytes.get(row));
      readSync(open.get(file)!, bytes, 0, bytes.length, ops.offset.get(row));
      expect(() => JSON.parse(bytes.toString())).not.toThrow();
    }
  });

  test('no frame shows an absolute path or a home', () => {
    for (const view of VIEWS) {
      for (const line of drawn(foldView(trace, view.name), view.measure))
        expect(line).not.toMatch(/file:(\/|~|[A-Za-z]:[\\/])|\/(home|Users)\/[a-z]/);
    }
  });

  test('subagents stand under the call that spawned them', () => {
    const lines = drawn(foldView(trace, 'tokens'), 'tokens');
    expect(
      lines.filter(line => /tool:(Task|Agent);subagent:[^;]+;call:[^;]+;model:/.test(line)).length,
    ).toBeGreaterThan(10);
  });
});
