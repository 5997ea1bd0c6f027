import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { attachEffects } from '../effects/attach.ts';
import { type MoneyReport, priceCalls } from '../money/apply.ts';
import { readPrices } from '../money/overrides.ts';
import { loadPriceTable } from '../money/price.ts';
import { type DeriveRule, deriveColumns, parseDeriveRule } from '../profile/derive.ts';
import { type Pseudonyms, openPseudonyms } from '../privacy/pseudonym.ts';
import { type Redactor, redactorFor } from '../privacy/redact.ts';
import { parseTime } from '../selection/dates.ts';
import { compilePatterns } from '../selection/patterns.ts';
import { type Selection, select } from '../selection/select.ts';
import { type Discovery, discover } from '../sources/discover.ts';
import { type Histories, load } from '../sources/load.ts';
import { Projects } from '../sources/projects.ts';
import { READERS } from '../sources/registry.ts';
import { joinLabels, parseLabels } from '../trace/labels.ts';
import type { TextKind } from '../trace/texts.ts';
import { Trace } from '../trace/trace.ts';
import { UsageError } from '../trace/usage-error.ts';
import type { HistoryFlags, MeaningFlags } from './options.ts';
import { taggerOf, tagTrace, textsOf, type TagSummary } from './tags.ts';
import { progressBar, warn } from './terminal.ts';

/** Everything a command works on: the linked trace, the selected rows, and what is to be said about them. */
export interface History {
  readonly trace: Trace;
  readonly rows: Uint32Array;
  readonly histories: Histories;
  readonly pseudonyms: Pseudonyms;
  /** Knows the user names in the homes of this history. */
  readonly redactor: Redactor;
  readonly money: MoneyReport | undefined;
  readonly tags: TagSummary | undefined;
  /** What was narrowed, in words, for the output and the comments; no home path. */
  readonly narrowed: readonly string[];
}

export interface Needs {
  readonly texts?: readonly TextKind[];
  /** Tags and effects are wanted. */
  readonly meaning?: MeaningFlags;
  readonly prices?: boolean | string;
}

/** Problems told one by one; more of them are counted. */
const MOST_PROBLEMS = 5;

export async function readHistory(flags: HistoryFlags, needs: Needs): Promise<History> {
  const selection = selectionOf(flags);
  const pseudonyms = openPseudonyms(process.env);
  if (pseudonyms.warning && !flags.quiet) warn(pseudonyms.warning);
  const facts = flags.labels.flatMap(file => parseLabels(readText(file, '--labels'), file));
  const tagger = needs.meaning ? await taggerOf(needs.meaning) : undefined;
  const histories = read(find(flags), flags, ['prompt', ...textsOf(tagger), ...(needs.texts ?? [])]);
  const { ops } = histories;
  if (needs.meaning) await attachEffects(ops, at => ({ roots: ops.sessions.all[at]?.roots ?? [] }));
  const trace = new Trace(ops);
  const matches = (selector: string, id: string) => pseudonyms.matches(selector, id);
  for (const lost of joinLabels(ops.sessions, facts, matches)) warn(`--labels: no session is called ${JSON.stringify(lost)}.`);
  const tags = tagger ? tagTrace(trace, tagger) : undefined;
  if (needs.meaning) await derive(trace, needs.meaning);
  const money = needs.prices ? await price(trace, needs.prices) : undefined;
  const rows = await select(trace, { ...selection, matchesSession: matches });
  const redactor = redactorFor([homedir(), ...ops.sessions.all.flatMap(session => session.cwd ?? [])]);
  return { trace, rows, histories, pseudonyms, redactor, money, tags, narrowed: narrowedOf(flags).map(text => redactor.text(text)) };
}

function find(flags: HistoryFlags): Discovery {
  const own = flags.home.length === 0;
  const homes = own
    ? [{ path: homedir(), env: process.env }]
    : flags.home.map((path, at) => ({ path: resolve(path), env: {}, ...(flags.home.length > 1 ? { host: `home-${at + 1}` } : {}) }));
  const discovery = discover({ homes, sessionFiles: [...flags.sessionFile], sessionDirs: flags.sessionDir, agents: flags.agent }, READERS, flags.operationFile);
  return discovery;
}

function read(discovery: Discovery, flags: HistoryFlags, texts: readonly TextKind[]): Histories {
  const bar = progressBar(flags.quiet === true);
  const histories = load(discovery, { texts, progress: (done, all) => bar.update(done, all) });
  bar.end();
  for (const problem of discovery.problems.slice(0, MOST_PROBLEMS)) warn(problem);
  if (discovery.problems.length > MOST_PROBLEMS) warn(`and ${discovery.problems.length - MOST_PROBLEMS} more files that could not be read; agentpprof doctor lists them`);
  return histories;
}

async function price(trace: Trace, prices: boolean | string): Promise<MoneyReport> {
  const table = await loadPriceTable(typeof prices === 'string' ? await readPrices(prices) : undefined);
  const report = priceCalls(trace.ops, table);
  trace.cost = report.cost;
  return report;
}

async function derive(trace: Trace, flags: MeaningFlags): Promise<void> {
  const rules = [...flags.opMap.map(rule => parseDeriveRule(rule, '--op-map')), ...flags.opMapFile.flatMap(rulesIn)];
  if (rules.length === 0) return;
  for (const [name, column] of await derived(trace, rules)) trace.override(name, { column, through: 'row' });
}

/** Columns that rules derive; patterns are compiled once a name. */
export async function derived(trace: Trace, rules: readonly DeriveRule[]): Promise<ReturnType<typeof deriveColumns>> {
  const sets = new Map<string, Awaited<ReturnType<typeof compilePatterns>>>();
  for (const name of new Set(rules.map(rule => rule.name))) sets.set(name, await compilePatterns(rules.filter(rule => rule.name === name)));
  return deriveColumns(trace, rules, own => sets.get((own[0] as DeriveRule).name) as never);
}

function rulesIn(file: string): DeriveRule[] {
  return readText(file, '--op-map-file')
    .split('\n')
    .map((line, at) => ({ line: line.trim(), flag: `--op-map-file ${file}:${at + 1}` }))
    .filter(({ line }) => line !== '' && !line.startsWith('#'))
    .map(({ line, flag }) => parseDeriveRule(line, flag));
}

export function readText(file: string, flag: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${flag}: cannot read ${file}: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}.`);
  }
}

function selectionOf(flags: HistoryFlags): Selection {
  const now = new Date();
  const since = flags.since === undefined ? undefined : parseTime(flags.since, '--since', now, false);
  const until = flags.until === undefined ? undefined : parseTime(flags.until, '--until', now, true);
  if (since !== undefined && until !== undefined && since > until) throw new UsageError('--since: is later than --until, so nothing can be selected.');
  const known = new Set(READERS.map(reader => reader.agent));
  for (const agent of flags.agent) {
    if (!known.has(agent)) throw new UsageError(`--agent: there is no agent ${JSON.stringify(agent)}. Known agents: ${[...known].join(', ')}.`);
  }
  const projects = new Projects();
  return {
    agents: flags.agent,
    projectRoots: flags.projectRoot.flatMap(root => [root, ...projects.of(resolve(root)).roots]),
    sessionIds: flags.sessionId,
    branches: flags.branch,
    models: flags.model,
    since,
    until,
    where: flags.where,
    matchesSession: () => false,
  };
}

function narrowedOf(flags: HistoryFlags): string[] {
  const day = (text: string | undefined, flag: string, end: boolean) => (text === undefined ? [] : [new Date(parseTime(text, flag, new Date(), end) / 1000).toISOString()]);
  return [
    ...flags.agent.map(agent => `agent ${agent}`),
    ...flags.projectRoot.map(root => `project ${new Projects().of(resolve(root)).name}`),
    ...flags.sessionId.map(() => 'one session'),
    ...day(flags.since, '--since', false).map(time => `since ${time}`),
    ...day(flags.until, '--until', true).map(time => `until ${time}`),
    ...flags.branch.map(branch => `branch ${branch}`),
    ...flags.model.map(model => `model ${model}`),
    ...flags.where.map(condition => `where ${condition}`),
  ];
}
