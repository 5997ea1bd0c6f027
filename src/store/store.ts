import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { EFFECTS_VERSION } from '../effects/version.ts';
import { type Discovery, pathOf, type SearchPlan, type Verdicts } from '../sources/find.ts';
import { Projects } from '../sources/projects.ts';
import type { Whereabouts } from '../sources/reader.ts';
import type { TextKind } from '../trace/texts.ts';
import { LINKS_VERSION } from '../trace/trace.ts';
import { isOf, isUnchanged, siblingsCheck } from './files.ts';
import { type StoredHistory, WarmHistory } from './history.ts';
import { PackError, PackReader } from './pack.ts';
import { ENDING, isPrivate, renew } from './place.ts';
import { nameOf, searchedBy } from './search.ts';
import { askedOf, type Facts, FORMAT, type Keeping, type Reading, type Searched, Stored } from './stored.ts';
import { type Zone, zoneNow } from './zone.ts';

export interface StoreOptions {
  /** Where packs lie, see `cacheDirectory`; undefined where nothing is to be kept or taken from there. */
  readonly directory: string | undefined;
  readonly plan: SearchPlan;
  readonly readers: readonly Whereabouts[];
  readonly operationFiles: readonly string[];
}

/** Packs that showed damage in this process while they were used; they are not opened again. */
const distrusted = new Set<string>();

/** Makes sure that a damaged pack is not used again, by this process and by later ones. */
export function distrust(error: PackError): void {
  distrusted.add(error.path);
  try {
    rmSync(error.path, { force: true });
  } catch {
    // What cannot be removed is at least not opened by this process.
  }
}

/**
 * The operations of one search, kept between runs in one pack. A run reads what is new and nothing else; with nothing
 * new it only fetches the columns it looks at. What it gives is what reading everything would give.
 */
export class Store implements Keeping {
  readonly notices: string[] = [];
  readonly started = Date.now();
  readonly directory: string | undefined;
  readonly searched: Searched;
  readonly readers: readonly Whereabouts[];
  private stored: Stored | undefined;
  private here: Zone | undefined;

  constructor({ directory, plan, readers, operationFiles }: StoreOptions) {
    this.directory = directory;
    this.readers = readers;
    this.searched = searchedBy(plan, readers, operationFiles);
    if (directory !== undefined && isPrivate(directory) && !distrusted.has(this.path)) this.stored = this.open();
  }

  get zone(): Zone {
    this.here ??= zoneNow(this.stored?.facts.zone);
    return this.here;
  }

  get name(): string {
    return nameOf(this.searched) + ENDING;
  }

  private get path(): string {
    return join(this.directory ?? '', this.name);
  }

  /** Tells `discover` whose a file is that has been looked into before. */
  get verdicts(): Verdicts | undefined {
    const { stored } = this;
    if (!stored) return undefined;
    const known = new Map(stored.files.map(entry => [entry.path, entry]));
    const strangers = new Map(
      stored.asked === askedOf(this.readers) ? stored.strangers.map(each => [each.path, each]) : [],
    );
    return (path, { ino, size, mtimeMs }) => {
      const entry = known.get(path);
      if (entry?.inode === ino && entry.size === size && entry.mtime === mtimeMs) return entry.agent;
      const stranger = strangers.get(path);
      return stranger?.inode === ino && stranger.size === size && stranger.mtimeMs === mtimeMs ? '' : undefined;
    };
  }

  /** Whether an earlier run worked this out; its texts are among those stored. */
  knowsPart(name: string, key: string): boolean {
    return this.stored?.facts.parts.some(part => part[0] === name && part[1] === key) === true;
  }

  /** The history of what was found: as it is stored if nothing has changed, else brought up to date. */
  async read(discovery: Discovery, options: Reading): Promise<StoredHistory> {
    const { stored } = this;
    const texts = [...new Set([...options.texts, ...(stored?.facts.texts ?? [])])];
    if (stored && this.isUpToDate(stored, discovery, texts)) {
      for (const { problem } of stored.files) if (problem !== undefined) discovery.problems.push(problem);
      return new WarmHistory(this, stored, discovery);
    }
    const { refresh } = await import('./refresh.ts');
    const wanted = { ...options, texts };
    const problems = [...discovery.problems];
    try {
      return await refresh(this, discovery, stored && canGoOn(stored, texts) ? stored : undefined, wanted);
    } catch (error) {
      if (!(error instanceof PackError)) throw error;
      this.damaged(error);
      discovery.problems.splice(0, discovery.problems.length, ...problems);
      return refresh(this, discovery, undefined, wanted);
    }
  }

  private open(): Stored | undefined {
    try {
      const pack = PackReader.open(this.path);
      const facts = pack?.facts as Facts | undefined;
      if (!pack || facts?.format !== FORMAT || JSON.stringify(facts.searched) !== JSON.stringify(this.searched))
        return undefined;
      renew(this.path, pack.mtimeMs, this.started);
      return new Stored(pack, this.path, facts);
    } catch (error) {
      if (error instanceof PackError) this.damaged(error);
      else
        this.notices.push(
          `the stored history cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}); all files are read again`,
        );
      return undefined;
    }
  }

  private damaged(error: PackError): void {
    distrust(error);
    this.notices.push(DAMAGED);
  }

  private isUpToDate(stored: Stored, discovery: Discovery, texts: readonly TextKind[]): boolean {
    const { files, facts } = stored;
    if (!canGoOn(stored, texts) || facts.links !== LINKS_VERSION) return false;
    if (files.length !== discovery.files.length || !sameStrangers(stored, discovery)) return false;
    const siblingsAsBefore = siblingsCheck();
    const same = discovery.files.every((file, at) => {
      const entry = files[at];
      return (
        entry && entry.name === pathOf(file) && isOf(entry, file) && isUnchanged(entry, file) && siblingsAsBefore(entry)
      );
    });
    const projects = new Projects();
    return (
      same && stored.projects.every(([cwd, project]) => JSON.stringify(projects.of(cwd)) === JSON.stringify(project))
    );
  }
}

export const DAMAGED = 'the stored history was damaged; it is made again from the session files';

/** Whether rows of a pack can be taken over: their effects are those of today, and their texts are there. */
function canGoOn({ facts }: Stored, texts: readonly TextKind[]): boolean {
  return facts.effects === EFFECTS_VERSION && texts.every(kind => facts.texts.includes(kind));
}

/** New files that nobody knows are worth a new pack: or they would be looked into in every run. */
function sameStrangers({ strangers }: Stored, { unknown }: Discovery): boolean {
  return strangers.length === unknown.length && strangers.every(({ path }, at) => path === unknown[at]);
}
