import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { agentpprof, type Ran, scratch } from '../cli/program.ts';
import { madeHistory, writeHistory } from './histories.ts';

const place = scratch('clusters');
const file = (name: string) => join(place.path, name);
afterAll(() => place.remove());

vi.setConfig({ testTimeout: 600_000 });

let homes = 0;
/** A home of its own, so that what one test stores is not there for another. */
const newHome = () => file(`home-${homes++}`);

/** Judging stability takes most of the time; one test looks at it. */
const QUICK = ['--repeats', '0', '--min-cluster-size', '8', '--neighbors', '10'];

function run(args: readonly string[], home: string): Ran {
  return agentpprof(args, {
    home,
    env: { XDG_CACHE_HOME: join(home, 'cache'), XDG_CONFIG_HOME: join(home, 'config') },
  });
}

function json(args: readonly string[], home = newHome()) {
  const ran = run([...args, ...(args[0] === 'cluster' ? QUICK : []), '--json'], home);
  expect(ran.err).not.toContain('Error');
  return JSON.parse(ran.out);
}

let ops = '';
beforeAll(() => {
  ops = writeHistory(file('ops.jsonl'), { each: 25, fails: { deploy: 0.5 } });
});

describe('agentpprof cluster', () => {
  it('finds the kinds of sessions that are there, and which of them fails', () => {
    const report = JSON.parse(
      run(
        [
          'cluster',
          '--operation-file',
          ops,
          '--min-cluster-size',
          '8',
          '--neighbors',
          '10',
          '--repeats',
          '2',
          '--json',
        ],
        newHome(),
      ).out,
    );
    expect(report.schema).toBe('agentpprof.clusters/1');
    const found = report.clusters.filter((each: { id: number }) => each.id > 0);
    expect(found.map((each: { units: number }) => each.units)).toEqual([25, 25, 25]);
    const deploy = found.find((each: { terms: string[] }) => each.terms.includes('kubectl apply'));
    expect(deploy.failures.rate).toBeGreaterThan(0.25);
    expect(deploy.failures.low).toBeLessThan(deploy.failures.rate);
    expect(deploy.label.length).toBeLessThanOrEqual(20);
    const others = found.filter((each: { id: number }) => each.id !== deploy.id);
    expect(others.map((each: { failures: { rate: number } }) => each.failures.rate)).toEqual([0, 0]);
    expect(found.every((each: { stability: number }) => each.stability > 0.9)).toBe(true);
    const share = (name: string) =>
      report.clusters.reduce((sum: number, each: Record<string, number>) => sum + (each[name] as number), 0);
    for (const name of ['share', 'token_share']) expect(share(name)).toBeCloseTo(1, 9);
  });

  it('the same history gives the same bytes, as JSON, Markdown and page', () => {
    for (const ending of ['json', 'md', 'html']) {
      const written = ['a', 'b'].map(name => {
        const path = file(`${name}.${ending}`);
        expect(run(['cluster', '--operation-file', ops, '-o', path, '-q', ...QUICK], newHome()).code).toBe(0);
        return readFileSync(path, 'utf8');
      });
      expect(written[0]).toBe(written[1]);
      expect((written[0] as string).length).toBeGreaterThan(1000);
    }
  });

  it('refuses to see kinds in fewer than 30 sessions, and says what to do', () => {
    const few = writeHistory(file('few.jsonl'), { each: 9 });
    const ran = run(['cluster', '--operation-file', few], newHome());
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('too few, 27 sessions');
    expect(ran.err).toContain('--unit segment');
    expect(ran.out).toBe('');
  });

  it('counts odd sessions by reason, leaves them out, and keeps them when asked', () => {
    const lines = madeHistory({ each: 15 });
    lines.push(
      JSON.stringify({
        value: 1,
        fields: { session: 'short', kind: 'tool', tool: 'Bash', start_ns: '1767225600000000000' },
      }),
    );
    lines.push(JSON.stringify({ value: 1, fields: { kind: 'tool', tool: 'Bash', start_ns: '1767225600000000000' } }));
    for (const second of [1767225900, 1767225000])
      lines.push(
        JSON.stringify({
          value: 1,
          fields: { session: 'back', kind: 'tool', tool: 'Bash', start_ns: `${second}000000000` },
        }),
      );
    writeFileSync(file('odd.jsonl'), lines.join('\n'));
    const report = json(['cluster', '--operation-file', file('odd.jsonl')]);
    expect(report.odd).toEqual({ 'no id': 1, 'too few steps': 1, 'clock goes back': 1 });
    expect(report.units).toBe(45);
    expect(json(['cluster', '--operation-file', file('odd.jsonl'), '--keep-odd']).units).toBe(48);
  });

  it('a sample is said to be one', () => {
    const report = json(['cluster', '--operation-file', ops, '--sample', '40']);
    expect([report.units, report.eligible]).toEqual([40, 75]);
    expect(run(['cluster', '--operation-file', ops, '--sample', '40', ...QUICK], newHome()).out).toContain(
      'a sample of 75',
    );
  });

  it('k-means places every session', () => {
    const report = json(['cluster', '--operation-file', ops, '--method', 'kmeans', '--clusters', '3']);
    expect(report.noise.units).toBe(0);
    expect(report.clusters.map((each: { units: number }) => each.units)).toEqual([25, 25, 25]);
  });

  it.each(['segment', 'call', 'tool'])('clusters single %ss', unit => {
    const report = json(['cluster', '--operation-file', ops, '--unit', unit, '--sample', '120']);
    expect(report.unit).toBe(unit);
    expect(report.units).toBeGreaterThan(70);
  });

  it.each([
    [['--unit', 'week'], '--unit'],
    [['--min-cluster-size', '1'], '--min-cluster-size'],
    [['--method', 'kmeans', '--clusters', '38'], 'of 75 sessions would have fewer than two each; give at most 37'],
    [['--clusters', '3'], 'add --method kmeans'],
    [['--failed-when', 'nowhere=1'], '--failed-when'],
    [['--by', 'nowhere'], '--by'],
    [['-o', 'x.svg'], '.html, .md, .json'],
    [['--dry-run'], '--embed-url'],
  ])('wrong usage %j names its way out', (args, said) => {
    const ran = run(['cluster', '--operation-file', ops, ...args], newHome());
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(said);
  });

  it('what counts as failed is what --failed-when says, or the joined outcome', () => {
    const outcomes = file('outcomes.csv');
    const names = [...Array(25).keys()].map(at => `docs-${at},outcome,${at < 20 ? 'rejected' : 'accepted'}`);
    writeFileSync(outcomes, `session,field,value\n${names.join('\n')}\n`);
    const docs = (report: { clusters: { terms: string[]; failures: unknown }[] }) =>
      report.clusters.find(each => each.terms.includes('invoices.md'))?.failures;
    const args = ['cluster', '--operation-file', ops, '--labels', outcomes];
    expect(docs(json(args))).toMatchObject({ failed: 20, known: 25 });
    expect(docs(json([...args, '--failed-when', 'outcome=accepted']))).toMatchObject({ failed: 5, known: 25 });
  });

  it('grows and shrinks by week are named where the interval allows it', () => {
    const drift = writeHistory(file('drift.jsonl'), {
      each: 30,
      day: (at, kind) => (kind === 'deploy' ? 7 + (at % 5) : (at % 2) * 7 + (at % 5)),
    });
    const { by } = json(['cluster', '--operation-file', drift, '--by', 'week']);
    expect(by.periods.length).toBeGreaterThan(1);
    const changes = by.clusters.flatMap((each: { periods: { change: string }[] }) =>
      each.periods.map(period => period.change),
    );
    expect(changes).toContain('new');
  });
});

describe('what leaves', () => {
  const SECRET = 'sk-ant-api03-Zq9rT4vXw2LmN8pK5sJd7fGh3bVc6yUeQaRtWzXs-abcdefAA';
  const kinds = [
    {
      name: 'secret',
      words: `rotate ${SECRET} zanzibarproject`,
      steps: [['Bash', 'vault write', 'ops/keys.hcl'] as const, ['Bash', 'vault read', ''] as const],
    },
    {
      name: 'plain',
      words: 'count apples wombatville',
      steps: [['Read', '', 'apples.csv'] as const, ['Bash', 'python', 'count.py'] as const],
    },
  ];

  it('no word of a prompt is in a report unless previews are asked for, and a secret is in neither', () => {
    const path = writeHistory(file('secret.jsonl'), { each: 20, kinds });
    for (const ending of ['json', 'md', 'html']) {
      const out = file(`secret.${ending}`);
      const args = ['cluster', '--operation-file', path, '-o', out, '--json', ...QUICK];
      const ran = run(args, newHome());
      const without = readFileSync(out, 'utf8') + ran.out + ran.err;
      expect(without).not.toMatch(/zanzibarproject|wombatville|rotate|sk-ant/);
      run([...args, '--include-previews'], newHome());
      const previews = readFileSync(out, 'utf8');
      expect(previews).toContain('wombatville');
      expect(previews).not.toContain('sk-ant');
    }
  });

  it('the text of a session is printed with secrets replaced', () => {
    const path = writeHistory(file('secret.jsonl'), { each: 20, kinds });
    const { out } = run(['cluster', 'text', 'secret-3', '--operation-file', path], newHome());
    expect(out).toMatch(/^user: .*rotate/);
    expect(out).toContain('Bash(vault write, ops/keys.hcl)');
    expect(out).toMatch(/outcome: ok\nduration: about .*\ntokens: about \d k/);
    expect(out).not.toContain('sk-ant');
  });

  it('small clusters are left out of a shared report, and counted', () => {
    const rare = writeHistory(file('rare.jsonl'), { each: 30 });
    const lines = readFileSync(rare, 'utf8')
      .split('\n')
      .filter(line => !/docs-\d\d"/.test(line));
    writeFileSync(rare, lines.join('\n'));
    const report = json(['cluster', '--operation-file', rare, '--min-size', '12']);
    expect(report.hidden.clusters).toBe(1);
    expect(JSON.stringify(report)).not.toContain('invoices.md');
  });
});

describe('the cluster is a field of every command', () => {
  it('after a run it can be asked for, by number, label or both', () => {
    const home = newHome();
    const report = json(['cluster', '--operation-file', ops], home);
    const [first] = report.clusters;
    const rows = json(['sessions', '--by', 'cluster', '--operation-file', ops], home).rows;
    expect(rows.map((each: { name: string }) => each.name)).toContain(`1 ${first.label}`);
    const counts = ['1', first.label, `1 ${first.label}`].map(
      value => json(['sessions', '--where', `cluster=${value}`, '--operation-file', ops], home).rows.length,
    );
    expect(counts).toEqual([25, 25, 25]);
    const folded = run(
      ['--stack', 'cluster,tool', '--view', 'operations', '--operation-file', ops, '-o', '-'],
      home,
    ).out;
    expect(folded).toContain(`cluster:1 ${first.label};tool:`);
  });

  it('where no clusters are stored that is said, once', () => {
    const ran = run(['--stack', 'cluster,tool', '--operation-file', ops], newHome());
    expect(ran.code).toBe(0);
    expect(ran.err.match(/no clusters are stored/g)).toHaveLength(1);
    expect(run(['--operation-file', ops], newHome()).err).not.toContain('cluster');
  });
});

describe('cluster map', () => {
  it('says which categories are torn apart and which clusters mix them', () => {
    const categories = file('categories.csv');
    const lines = ['tests', 'deploy', 'docs'].flatMap(kind =>
      [...Array(25).keys()].map(
        at => `${kind}-${at},category,${kind === 'docs' ? 'writing' : at % 2 ? 'backend' : 'ops'}`,
      ),
    );
    writeFileSync(categories, `session,field,value\n${lines.join('\n')}\n`);
    const map = json(['cluster', 'map', categories, '--operation-file', ops]);
    const torn = Object.fromEntries(
      map.categories.map((each: { category: string; torn: boolean }) => [each.category, each.torn]),
    );
    expect(torn).toEqual({ writing: false, backend: true, ops: true });
    expect(map.clusters.filter((each: { mixed: boolean }) => each.mixed).length).toBe(2);
    expect(run(['cluster', 'map', categories, '--operation-file', ops, ...QUICK], newHome()).out).toContain(
      'torn apart',
    );
  });
});

describe('cluster compare', () => {
  const versions = () =>
    writeHistory(file('versions.jsonl'), {
      each: 40,
      fails: { deploy: 0.15 },
      version: at => (at % 2 ? '2.0' : '1.0'),
    });

  it('two versions in the same clusters, with intervals', () => {
    const compared = json(['cluster', 'compare', '1.0', '2.0', '--operation-file', versions()]);
    expect(compared.clusters.slice(0, 3).map((each: { units: number[] }) => each.units)).toEqual([
      [20, 20],
      [20, 20],
      [20, 20],
    ]);
    for (const { share_change } of compared.clusters.slice(0, 3)) {
      expect(share_change.low).toBeLessThanOrEqual(0);
      expect(share_change.high).toBeGreaterThanOrEqual(0);
    }
  });

  it('the same tasks are compared in pairs', () => {
    const labels = file('tasks.csv');
    const lines = ['tests', 'deploy', 'docs'].flatMap(kind =>
      [...Array(40).keys()].flatMap(at => [
        `${kind}-${at},task_name,${kind}-${Math.floor(at / 2)}`,
        `${kind}-${at},outcome,${at % 2 === 1 && at < 30 ? 'failed' : 'ok'}`,
      ]),
    );
    writeFileSync(labels, `session,field,value\n${lines.join('\n')}\n`);
    const { paired } = json([
      'cluster',
      'compare',
      '1.0',
      '2.0',
      '--task',
      'task_name',
      '--labels',
      labels,
      '--operation-file',
      versions(),
    ]);
    expect(paired.tasks).toBe(60);
    expect(paired.failures.difference).toBeCloseTo(0.75, 9);
    expect(paired.failures.low).toBeGreaterThan(0.6);
  });

  it('a version that nobody has is wrong usage', () => {
    const ran = run(['cluster', 'compare', '1.0', '9.9', '--operation-file', versions()], newHome());
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('9.9');
  });
});

describe('cluster watch', () => {
  it('exits 3 when new sessions of a cluster fail more often than its interval allows, and tells it once', () => {
    const home = newHome();
    const before = writeHistory(file('before.jsonl'), { each: 25 });
    const after = writeHistory(file('after.jsonl'), { each: 10, prefix: 'new-', seed: 5, fails: { deploy: 0.95 } });
    const watch = (...files: string[]) =>
      run(
        [
          'cluster',
          'watch',
          ...files.flatMap(each => ['--operation-file', each]),
          '-o',
          file('metrics.prom'),
          ...QUICK,
        ],
        home,
      );
    expect(watch(before).code).toBe(0);
    expect(watch(before).code).toBe(0);
    const ran = watch(before, after);
    expect(ran.code).toBe(3);
    expect(ran.err).toContain('new sessions');
    const metrics = readFileSync(file('metrics.prom'), 'utf8');
    expect(metrics).toMatch(/agentpprof_cluster_jumped\{cluster="[^"]*"\} 1/);
    expect(metrics.endsWith('# EOF\n')).toBe(true);
    expect(watch(before, after).code).toBe(0);
  });
});
