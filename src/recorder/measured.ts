import { domainOf } from '../effects/hosts.ts';
import type { Project } from '../effects/paths.ts';
import { programName } from '../effects/shell/program.ts';
import { PROCESS_SEPARATOR } from '../effects/shell.ts';
import type { FileEffect } from '../trace/fields.ts';
import type { Contact, Deed } from './events.ts';
import { processKey } from './events.ts';
import { Counts, type NoEffect } from './ledger.ts';
import type { Names } from './names.ts';
import type { Image, ProcessRecord } from './summary.ts';
import { isWrapper, Wrapper } from './wrapper.ts';

/** What a recording shows a tool call to have done: one a place and kind (outside the project one a changed file), or one a domain. */
export interface MeasuredEffect {
  readonly kind: FileEffect | 'contact';
  /** A place as Project gives it, or a domain. */
  readonly value: string;
  /** The first path that stands there; '' for contacts. */
  readonly path: string;
  /** Programs, outermost first, joined by PROCESS_SEPARATOR; '' where the shell of the call, or the agent, did it. */
  readonly process: string;
}

export interface MeasuredCall {
  readonly effects: readonly MeasuredEffect[];
  /** Deeds that gave an effect; one that moves a file gives two. */
  readonly counted: number;
  /** Deeds that gave none, by reason. With those counted they are all deeds of the call. */
  readonly without: Counts<NoEffect>;
}

export interface CallInRecording {
  /** In the order written. */
  readonly deeds: readonly Deed[];
  readonly processes: ReadonlyMap<string, ProcessRecord>;
  /** Processes of the call; others did their part in its time only (the agent, a server). */
  readonly own: ReadonlySet<string>;
  /** Processes that were started for the call. */
  readonly roots: ReadonlySet<string>;
  /** The command as it was asked for; '' where none was. */
  readonly command: string;
  /** `kind place` of what is known from the call's input, and its domains. */
  readonly asked: ReadonlySet<string>;
  readonly project: Project;
  readonly names: Names;
}

/** A path and the kinds of effect on it. */
type Touched = Map<FileEffect, { process: string; deeds: number; directory: boolean }>;

/**
 * The effects of one call. A file that the call made and took away again is none; where it was renamed over another, that
 * one was written. What a wrapper around the command touches is the agent's.
 */
export function measuredOf(call: CallInRecording): MeasuredCall {
  const files = new Map<string, Touched>();
  const folders = new Set<string>();
  const made = new Set<string>();
  const without = new Counts<NoEffect>();
  const effects = new Map<string, MeasuredEffect>();
  const wrapper = new Wrapper(call);
  let counted = 0;
  const none = (reason: NoEffect, count = 1): void => without.add(reason, count);

  const touch = (path: string, kind: FileEffect, deed: Deed, directory = false, deeds = 1): void => {
    const of: Touched = files.get(path) ?? new Map();
    files.set(path, of);
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
    const known = of.get(kind);
    if (known) known.deeds += deeds;
    else of.set(kind, { process: chainOf(deed, call), deeds, directory });
  };
  const forget = (path: string): void => {
    for (const { deeds } of files.get(path)?.values() ?? []) none('temporary', deeds);
    files.delete(path);
    made.delete(path);
  };
  /** What lies in a folder goes where the folder goes. */
  const follow = (from: string, to: string): void => {
    if (folders.has(from))
      for (const [path, kinds] of [...files]) {
        if (!path.startsWith(`${from}/`)) continue;
        const now = to + path.slice(from.length);
        files.delete(path);
        files.set(now, kinds);
        if (made.delete(path)) made.add(now);
      }
  };
  for (const deed of call.deeds) {
    if ('file_kind' in deed && (deed.file_kind === 'fifo' || deed.file_kind === 'device')) none('device');
    else if (wrapper.did(deed)) none('wrapper');
    else if (isNetwork(deed)) {
      const domain = contactOf(deed, call, none);
      if (domain === undefined) continue;
      if (effects.has(domain)) none('repeated');
      else {
        effects.set(domain, { kind: 'contact', value: domain, path: '', process: chainOf(deed, call) });
        counted++;
      }
    } else
      switch (deed.type) {
        case 'file.open': {
          if (deed.access === 'path') none('directory');
          else if (deed.creat) {
            touch(deed.path, 'create', deed);
            made.add(deed.path);
          } else if (deed.access === 'r' && !deed.trunc) touch(deed.path, 'read', deed, deed.file_kind === 'dir');
          else touch(deed.path, made.has(deed.path) || saidToMake(deed, call) ? 'create' : 'write', deed);
          break;
        }
        case 'file.mkdir':
          touch(deed.path, 'create', deed);
          made.add(deed.path);
          break;
        case 'file.truncate':
          touch(deed.path, made.has(deed.path) ? 'create' : 'write', deed);
          break;
        case 'file.link':
          touch(deed.to, 'create', deed);
          made.add(deed.to);
          break;
        case 'file.delete':
          if (made.has(deed.path)) {
            forget(deed.path);
            none('temporary');
          } else touch(deed.path, 'delete', deed);
          break;
        case 'file.rename':
          if (made.has(deed.from)) {
            forget(deed.from);
            touch(deed.to, made.has(deed.to) ? 'create' : 'write', deed);
          } else {
            touch(deed.from, 'move', deed);
            touch(deed.to, 'create', deed, false, 0);
          }
          follow(deed.from, deed.to);
          break;
      }
  }
  for (const [path, kinds] of files)
    for (const [kind, { process, deeds, directory }] of kinds) {
      const place = placeOf(path, call.project);
      const key = `${kind} ${place}`;
      const identity = isOneOfMany(kind, place) ? `${key} ${path}` : key;
      if (place === '' || (directory && !call.asked.has(key))) none('directory', deeds);
      else if (effects.has(identity)) none('repeated', deeds);
      else {
        effects.set(identity, { kind, value: place, path, process });
        counted += Math.min(1, deeds);
        none('repeated', Math.max(0, deeds - 1));
      }
    }
  return { effects: [...effects.values()], counted, without };
}

/**
 * Outside the project a place is one name of many files. What a program reads there is what it is made of, thousands of
 * files of which nobody asked for one, and counts once; what it changes there counts by file.
 */
const isOneOfMany = (kind: FileEffect, place: string): boolean => kind !== 'read' && place.startsWith('external/');

/** Where the engine cannot tell that an open made a file, the history may. */
const saidToMake = (
  { creat, path }: Extract<Deed, { type: 'file.open' }>,
  { asked, project }: CallInRecording,
): boolean => creat === undefined && asked.has(`create ${placeOf(path, project)}`);

/** `kind place`, or the domain: what effects of one call are told apart by. */
export const effectKey = ({ kind, value }: Pick<MeasuredEffect, 'kind' | 'value'>): string =>
  kind === 'contact' ? value : `${kind} ${value}`;

type NameSaid = Extract<Deed, { type: 'net.name' }>;

const isNetwork = (deed: Deed): deed is Contact | NameSaid => deed.type.startsWith('net.');

const isListening = ({ type }: Deed): boolean => type === 'net.accept' || type === 'net.bind';

/** The domain of a contact; undefined where the deed is none, which is counted. */
function contactOf(
  deed: Contact | NameSaid,
  { names, asked }: CallInRecording,
  none: (reason: NoEffect) => void,
): string | undefined {
  if (deed.type !== 'net.connect') {
    none(deed.type === 'net.name' ? 'name_lookup' : isListening(deed) ? 'listening' : 'traffic');
    return undefined;
  }
  const { family, addr, port, ret, in_progress, socket } = deed;
  if (family !== 'inet' && family !== 'inet6') none('local_socket');
  else if (ret < 0 && !in_progress) none('failed_connect');
  // A datagram socket is also connected only to learn which way a packet would go.
  else if (port === 53 || port === 0 || port === undefined || (socket === 'dgram' && port !== 443)) none('name_lookup');
  else {
    const name = names.of(deed);
    if (name !== undefined) return domainOf(name) || name;
    const host = family === 'inet6' ? `[${addr}]` : addr;
    const local = `localhost:${port}`;
    if ((addr.startsWith('127.') || addr === '::1') && asked.has(local)) return local;
    return domainOf(`${host}:${port}`) || `${host}:${port}`;
  }
  return undefined;
}

/** Programs from the one that was started for the call down to the one that did it; a chain without end is cut inside. */
function chainOf(deed: Deed, { processes, own, roots }: CallInRecording): string {
  const names: string[] = [];
  let before = deed.t_ns;
  let exec: number | undefined = deed.exec_id;
  for (let at = processes.get(processKey(deed)); at !== undefined && own.has(at.key); ) {
    const image = imageAt(at, before, exec);
    if (image !== undefined && !(roots.has(at.key) && isWrapper(image))) names.push(nameOf(image));
    before = at.began_ns;
    exec = undefined;
    at = roots.has(at.key) || at.parent === undefined ? undefined : processes.get(at.parent);
  }
  if (names.length > MOST_NAMES) names.splice(1, names.length - MOST_NAMES);
  return names.reverse().join(PROCESS_SEPARATOR);
}

const MOST_NAMES = 12;

function imageAt({ images }: ProcessRecord, t_ns: number, exec: number | undefined): Image | undefined {
  const exact = exec === undefined ? undefined : images.find(({ exec_id }) => exec_id === exec);
  return exact ?? images.findLast(image => image.t_ns <= t_ns);
}

const nameOf = ({ argv, exe }: Image): string => programName((argv[0] ?? '').replace(/^-/, '')) || programName(exe);

/** Insides that nobody names one by one: of a repository, of an installed package, of a cache of compiled files. */
const INSIDE = /^((?:.*?\/)?(?:\.git|node_modules\/(?:@[^/]+\/)?[^/]+|__pycache__))\/./;

function placeOf(path: string, project: Project): string {
  const place = project.place(path.replace(/\p{Surrogate}/gu, '\ufffd'), '');
  return INSIDE.exec(place)?.[1] ?? place;
}
