import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { MoneyReport } from '../money/apply.ts';
import { openPseudonyms, type Pseudonyms } from '../privacy/pseudonym.ts';
import type { Redactor } from '../privacy/redact.ts';
import { type DeriveRule, deriveColumns, parseDeriveRule } from '../profile/derive.ts';
import { parseTime } from '../selection/dates.ts';
import { compilePatterns } from '../selection/patterns.ts';
import { type Selection, select } from '../selection/select.ts';
import { archiveDirectory } from '../sources/archived.ts';
import { type Discovery, find, type Place, type SearchPlan, type Verdicts } from '../sources/find.ts';
import type { Histories } from '../sources/gathered.ts';
import type { FileLedger } from '../sources/ledger.ts';
import { Projects } from '../sources/projects.ts';
import type { Whereabouts } from '../sources/reader.ts';
import { SESSION_GAP } from '../sources/spans/boundaries.ts';
import { WHEREABOUTS, whereaboutsWith } from '../sources/whereabouts.ts';
import { priced } from '../store/costs.ts';
import type { StoredHistory } from '../store/history.ts';
import { cacheDirectory } from '../store/place.ts';
import { Store } from '../store/store.ts';
import { counted } from '../trace/counted.ts';
import { joinLabels, parseLabels } from '../trace/labels.ts';
import type { TextKind } from '../trace/texts.ts';
import type { Trace } from '../trace/trace.ts';
import { UsageError } from '../trace/usage-error.ts';
import { registerClusters, withClusterNames } from './cluster-field.ts';
import { findRecordings } from './find-recordings.ts';
import { parseGap } from './gap.ts';
import { homesToSearch, redactorHere } from './homes.ts';
import { hasMarks } from './marks-file.ts';
import type { HistoryFlags, MeaningFlags } from './options.ts';
import type { JoinedRecordings } from './recordings.ts';
import { SETTINGS } from './settings.ts';
import { shownPath } from './shown-path.ts';
import type { TagSummary } from './tagged.ts';
import { Tagging } from './tags.ts';
import { progressBar, warn } from './terminal.ts';
import { keepYoungSpace, letYoungSpaceGrow } from './young-space.ts';

/** Everything a command works on: the linked trace, the selected rows, and what is to be said about them. */
export interface History {
  readonly trace: Trace;
  readonly rows: Uint32Array;
  readonly histories: Histories;
  /** Of the agents that were asked for: how many files were read, and their ledgers. */
  readonly files: number;
  readonly ledgers: readonly FileLedger[];
  readonly places: readonly Place[];
  readonly pseudonyms: Pseudonyms;
  /** Knows the user names in the homes of this history. */
  readonly redactor: Redactor;
  readonly money: MoneyReport | undefined;
  readonly tags: TagSummary | undefined;
  /** What was recorded of its tool calls, where anything was. */
  readonly recorded: JoinedRecordings | undefined;
  /** What was narrowed, in words, for the output and the comments; no home path. */
  readonly narrowed: readonly string[];
  /** The time zone of its local days. */
  readonly zone: string;
}

export interface Needs {
  readonly texts?: readonly TextKind[];
  /** Tags are wanted. */
  readonly meaning?: MeaningFlags;
  readonly prices?: boolean | string;
  /** What recordings show of each tool call is wanted, not only what comes of it. */
  readonly recordedParts?: boolean;
}

/** Problems told one by one; more of them are counted. */
const MOST_PROBLEMS = 5;

export async function readHistory(given: HistoryFlags, needed: Needs): Promise<History> {
  const { flags, needs } = modelsTold(given, needed);
  const selection = selectionOf(flags);
  const pseudonyms = openPseudonyms(process.env);
  if (pseudonyms.warning && !flags.quiet) warn(pseudonyms.warning);
  const facts = flags.labels.flatMap(file => parseLabels(readText(file, '--labels'), file));
  const tagging = needs.meaning ? await Tagging.of(needs.meaning) : undefined;
  const plan = searchPlan(flags);
  const sessionGap = flags.sessionGap === undefined ? SESSION_GAP : parseGap(flags.sessionGap);
  const readers = sessionGap === SESSION_GAP ? WHEREABOUTS : whereaboutsWith({ sessionGap });
  const store = new Store({
    directory: flags.cache === false ? undefined : cacheDirectory(process.env, homedir()),
    plan,
    readers,
    operationFiles: flags.operationFile,
  });
  const recordings = await findRecordings(flags.recordings, plan.homes);
  const texts = [
    ...((await tagging?.texts(store)) ?? ['prompt' as const]),
    ...(needs.texts ?? []),
    ...(recordings.length > 0 ? ['command' as const] : []),
  ];
  const discovery = await found(plan, readers, flags.operationFile, store.verdicts);
  const stored = await read(store, discovery, flags, texts);
  const { histories, trace } = stored;
  const { ops } = trace;
  let made: Redactor | undefined;
  const redactorOf = () => (made ??= redactorHere(directoriesOf(trace), flags.home));
  const tags = await tagging?.tag(stored, {
    redactor: redactorOf,
    quiet: flags.quiet === true,
    cache: flags.cache !== false,
  });
  const money = needs.prices ? await price(stored, needs.prices) : undefined;
  stored.save();
  letYoungSpaceGrow();
  if (!flags.quiet) for (const notice of store.notices) warn(notice);
  const matches = (selector: string, id: string) => pseudonyms.matches(selector, id);
  for (const lost of joinLabels(ops.sessions, facts, matches))
    warn(`--labels: no session is called ${JSON.stringify(lost)}.`);
  const cache = flags.cache === false ? undefined : cacheDirectory(process.env, homedir());
  const recorded =
    recordings.length > 0 || names(flags, 'evidence')
      ? await (await import('./recordings.ts')).joinRecordings(
          trace,
          discovery,
          recordings,
          cache,
          needs.recordedParts === true,
        )
      : undefined;
  // A rule of --op-map looks at every field, whether anybody meant it or not.
  registerClusters(trace, cache, names(flags, 'cluster') ? warn : () => {});
  if (needs.meaning) {
    const marks = hasMarks(needs.meaning.marks)
      ? (await import('./marks.ts')).applyMarks(trace, needs.meaning.marks)
      : undefined;
    if (marks && marks.lost > 0 && !flags.quiet)
      warn(`marks of ${counted(marks.lost, 'session')} no longer fit; agentpprof segment run makes them anew`);
    await derive(trace, needs.meaning);
  }
  const where = withClusterNames(selection.where, cache);
  const rows = await select(trace, { ...selection, where, matchesSession: matches });
  const redactor = redactorOf();
  const narrowed = narrowedOf(flags).map(text => redactor.text(text));
  const asked = (agent: string) => flags.agent.length === 0 || flags.agent.includes(agent);
  return {
    trace,
    rows,
    histories,
    files: discovery.files.filter(file => asked(file.reader.agent)).length,
    get ledgers() {
      return histories.ledgers.filter(ledger => asked(ledger.agent));
    },
    places: discovery.places.filter(({ agent }) => agent === '' || asked(agent)),
    pseudonyms,
    redactor,
    money,
    tags,
    recorded: recordings.length > 0 ? recorded : undefined,
    narrowed,
    get zone() {
      return store.zone.name;
    },
  };
}

/** Whether a flag that may name fields has this word in it; a folder may be called anything. */
function names(flags: HistoryFlags, field: string): boolean {
  const { home, sessionFile, sessionDir, operationFile, projectRoot, labels, recordings, settings, ...others } = flags;
  return JSON.stringify(others).includes(field);
}

/** All agents are searched, whichever are asked for: so one store serves every selection. */
function searchPlan(flags: HistoryFlags): SearchPlan {
  for (const home of flags.home) {
    if (!statSync(home, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`--home: there is no directory ${home}.`);
  }
  return {
    homes: homesToSearch(flags.home),
    sessionFiles: [...flags.sessionFile],
    sessionDirs: flags.sessionDir,
    agents: [],
    archive: archiveDirectory(process.env, homedir()),
  };
}

/** Readers are loaded only to look into files. */
async function found(
  plan: SearchPlan,
  readers: readonly Whereabouts[],
  operationFiles: readonly string[],
  verdicts: Verdicts | undefined,
): Promise<Discovery> {
  if (plan.sessionFiles.length + plan.sessionDirs.length === 0) return find(plan, readers, operationFiles, verdicts);
  const [{ discover }, { readerOf }] = await Promise.all([
    import('../sources/discover.ts'),
    import('../sources/registry.ts'),
  ]);
  return discover(plan, readers.map(readerOf), operationFiles, verdicts);
}

async function read(
  store: Store,
  discovery: Discovery,
  flags: HistoryFlags,
  texts: readonly TextKind[],
): Promise<StoredHistory> {
  const bar = progressBar(flags.quiet === true);
  const stored = await store.read(discovery, {
    texts,
    threads: flags.threads,
    progress: (done, all) => {
      keepYoungSpace();
      bar.update(done, all);
    },
  });
  bar.end();
  for (const problem of discovery.problems.slice(0, MOST_PROBLEMS)) warn(shownPath(problem));
  if (discovery.problems.length > MOST_PROBLEMS)
    warn(
      `and ${counted(discovery.problems.length - MOST_PROBLEMS, 'more file')} that could not be read; agentpprof doctor lists them`,
    );
  return stored;
}

/** With `--tagger llm` a lone `--model` names the server's model, as such a flag does elsewhere, and selects nothing. */
function modelsTold(flags: HistoryFlags, needs: Needs): { flags: HistoryFlags; needs: Needs } {
  const { meaning } = needs;
  const [model] = flags.model;
  if (meaning?.tagger !== 'llm' || meaning.llmModel !== undefined || flags.model.length !== 1 || model === undefined)
    return { flags, needs };
  return { flags: { ...flags, model: [] }, needs: { ...needs, meaning: { ...meaning, llmModel: model } } };
}

/** Where the names of users may stand. */
function directoriesOf({ ops }: Trace): Set<string> {
  return new Set(ops.sessions.all.flatMap(session => session.cwd ?? []));
}

async function price(stored: StoredHistory, prices: boolean | string): Promise<MoneyReport> {
  const overrides =
    typeof prices === 'string' ? await (await import('../money/overrides.ts')).readPrices(prices) : undefined;
  const report = await priced(stored, overrides, async () =>
    (await import('../money/price.ts')).loadPriceTable(overrides),
  );
  stored.trace.cost = report.cost;
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
  for (const name of new Set(rules.map(rule => rule.name)))
    sets.set(name, await compilePatterns(rules.filter(rule => rule.name === name)));
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

/** What the flags narrow to. `side` stands before the names of the flags in messages: `a-` for `--a-since`. */
export function selectionOf(flags: HistoryFlags, side = ''): Selection {
  const now = new Date();
  const since = flags.since === undefined ? undefined : parseTime(flags.since, `--${side}since`, now, false);
  const until = flags.until === undefined ? undefined : parseTime(flags.until, `--${side}until`, now, true);
  if (since !== undefined && until !== undefined && since > until)
    throw new UsageError(`--${side}since: is later than --${side}until, so nothing can be selected.`);
  const known = new Set(WHEREABOUTS.map(reader => reader.agent));
  for (const agent of flags.agent) {
    if (!known.has(agent))
      throw new UsageError(
        `--${side}agent: there is no agent ${JSON.stringify(agent)}. Known agents: ${[...known].join(', ')}.`,
      );
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

/** The same in words, for the output. */
export function narrowedOf(flags: HistoryFlags): string[] {
  const day = (text: string | undefined, flag: string, end: boolean) =>
    text === undefined ? [] : [new Date(parseTime(text, flag, new Date(), end) / 1000).toISOString()];
  return [
    ...flags.agent.map(agent => `agent ${agent}`),
    ...flags.projectRoot.map(root => `project ${new Projects().of(resolve(root)).name}`),
    ...flags.sessionId.map(() => 'one session'),
    ...day(flags.since, '--since', false).map(time => `since ${time}`),
    ...day(flags.until, '--until', true).map(time => `until ${time}`),
    ...flags.branch.map(branch => `branch ${branch}`),
    ...flags.model.map(model => `model ${model}`),
    ...flags.where.map(condition => `where ${condition}`),
    ...(typeof flags.settings === 'object' && flags.settings.narrowed ? [`as ${SETTINGS} says`] : []),
  ];
}
