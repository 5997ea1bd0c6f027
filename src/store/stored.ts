import type { FoundFile } from '../sources/find.ts';
import type { Project } from '../sources/projects.ts';
import type { LoadOptions } from '../sources/read-file.ts';
import type { Whereabouts } from '../sources/reader.ts';
import type { Session } from '../trace/sessions.ts';
import type { TextKind } from '../trace/texts.ts';
import type { Entry } from './files.ts';
import { PackError, type PackReader } from './pack.ts';
import type { Zone } from './zone.ts';

/** Raised when packs are laid out in another way. */
export const FORMAT = 2;

/** What the index of a pack says of all of it. */
export interface Facts {
  readonly format: number;
  /** What was searched, in words of the search plan: for `cache status`, and against equal names. */
  readonly searched: Searched;
  readonly rows: number;
  readonly files: number;
  /** Bytes of history that the rows were made from. */
  readonly bytes: number;
  /** Kinds of text that are kept. */
  readonly texts: readonly TextKind[];
  /** Versions of what made the effects, and the links and times. */
  readonly effects: number;
  readonly links: number;
  readonly parts: readonly (readonly [name: string, key: string])[];
  /** Where the run that wrote the pack was; packs of before have none. */
  readonly zone?: Zone;
}

/** Where histories were searched for; each list without order or repetition. */
export interface Searched {
  /** `agent path` of every root, with the name of the home's host where there are several. */
  readonly roots: readonly string[];
  readonly files: readonly string[];
  readonly directories: readonly string[];
  readonly operations: readonly string[];
  readonly archive: string;
  /** `agent variant` of readers with settings of their own. */
  readonly variants: readonly string[];
}

/** A pack that fits this program and this search. */
export class Stored {
  readonly pack: PackReader;
  readonly path: string;
  readonly facts: Facts;
  readonly files: readonly Entry[];
  private readonly named: Named;

  /** Throws PackError. */
  constructor(pack: PackReader, path: string, facts: Facts) {
    this.pack = pack;
    this.path = path;
    this.facts = facts;
    this.named = pack.json('files') as Named;
    this.files = this.named.files;
    if (this.files.length !== facts.files) throw new PackError(path, 'is damaged');
  }

  /** Files named outright that nobody knew, as `FoundFile` without a reader. */
  get strangers(): readonly Stranger[] {
    return this.named.strangers;
  }

  /** The readers that were asked about them, by agent and version. */
  get asked(): string {
    return this.named.asked;
  }

  /** Which project each working directory was found to belong to. */
  get projects(): readonly (readonly [cwd: string, project: Project])[] {
    return this.named.projects;
  }

  /** Sessions, settled. */
  sessions(): Session[] {
    return this.pack.json('sessions') as Session[];
  }
}

export type Stranger = Pick<FoundFile, 'path' | 'inode' | 'size' | 'mtimeMs'>;

/** The section `files`. */
export interface Named {
  readonly files: readonly Entry[];
  readonly strangers: readonly Stranger[];
  readonly asked: string;
  readonly projects: readonly (readonly [string, Project])[];
}

/** How what is new is read. */
export type Reading = Pick<LoadOptions, 'texts' | 'progress' | 'threads'>;

/** What a run keeps its history by. */
export interface Keeping {
  readonly directory: string | undefined;
  /** Name of the pack in the directory. */
  readonly name: string;
  readonly searched: Searched;
  readonly readers: readonly Whereabouts[];
  /** When this run began, milliseconds since the epoch. */
  readonly started: number;
  /** What a person should know, one line each. */
  readonly notices: string[];
  /** Where this run is. */
  readonly zone: Zone;
}

/** Which readers were asked whose a file is. */
export function askedOf(readers: readonly Whereabouts[]): string {
  return readers.map(({ agent, version }) => `${agent} ${version}`).join(', ');
}
