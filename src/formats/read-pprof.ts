import { ProfileBuilder } from '../profile/build.ts';
import type { Label, Profile } from '../profile/profile.ts';
import type { Measure } from '../trace/measures.ts';
import { NO_FRAME, pprofName } from './names.ts';
import { ProtobufError, ProtoReader } from './protobuf-read.ts';

/** A function as far as a stack needs it. */
interface Named {
  readonly kind: string;
  readonly value: string;
}

/** Frames of profiles that other programs made have this kind. */
const FOREIGN_KIND = 'function';
const UNITS: readonly string[] = ['count', 'nanoseconds', 'microusd'];

/** A sample as it stands in the file, before locations and strings are known: they may come after it. */
interface RawSample {
  readonly locations: number[];
  readonly values: bigint[];
  readonly labels: RawLabel[];
}
interface RawLabel {
  key: number;
  text: number;
  number: bigint;
  unit: number;
}

interface RawProfile {
  readonly strings: string[];
  readonly sampleTypes: { type: number; unit: number }[];
  readonly samples: RawSample[];
  /** By id: the functions of a location, leaf first, and its address. */
  readonly locations: Map<number, { functions: number[]; address: bigint }>;
  readonly functions: Map<number, { name: number; filename: number }>;
  readonly comments: number[];
  timeNanos: bigint;
  durationNanos: bigint;
  defaultType: number;
}

/**
 * Reads an uncompressed profile.proto (https://github.com/google/pprof/blob/main/proto/profile.proto), of this program
 * or of any other. The names that `writePprof` gave become frames again: `kind::value` where the file name is that
 * kind. All other functions are frames of kind `function`, and a location without any is one by its address. Units
 * that no measure has are counts. Throws ProtobufError.
 */
export function readPprof(bytes: Uint8Array): Profile {
  const raw = rawProfile(bytes);
  const string = (id: number): string => {
    const found = raw.strings[id];
    if (found === undefined) throw new ProtobufError(`there is no string ${id} of ${raw.strings.length}`, bytes.length);
    return found;
  };
  const measures = raw.sampleTypes.map(({ type, unit }): Measure => {
    const named = string(unit);
    return { name: string(type), unit: (UNITS.includes(named) ? named : 'count') as Measure['unit'] };
  });
  if (measures.length === 0) throw new ProtobufError('the profile has no sample type', bytes.length);

  const builder = new ProfileBuilder(measures);
  const framesAt = new Map<number, number[]>();
  const framesOf = (id: number): number[] => {
    let known = framesAt.get(id);
    if (known === undefined) {
      known = namesOf(raw, id, string).map(({ kind, value }) => builder.stacks.frameId(kind, value));
      framesAt.set(id, known);
    }
    return known;
  };
  for (const { locations, values, labels } of raw.samples) {
    if (values.length !== measures.length)
      throw new ProtobufError(`a sample has ${values.length} values for ${measures.length} sample types`, bytes.length);
    let node = 0;
    for (const location of locations.reverse())
      for (const frame of framesOf(location)) node = builder.stacks.child(node, frame);
    const set = labels.map(
      (label): Label =>
        label.text !== 0
          ? { key: string(label.key), text: string(label.text) }
          : { key: string(label.key), number: Number(label.number), unit: string(label.unit) },
    );
    builder.add(node, builder.labels(set), values);
  }
  // Without a default the last one counts, as in pprof.
  const named = measures.find(measure => measure.name === string(raw.defaultType)) ?? (measures.at(-1) as Measure);
  return builder.finish({
    view: named.name,
    measure: named.name,
    comments: raw.comments.map(string),
    timeNanos: raw.timeNanos,
    durationNanos: raw.durationNanos,
  });
}

/** Frames of a location, outermost first. */
function namesOf(raw: RawProfile, id: number, string: (id: number) => string): Named[] {
  const location = raw.locations.get(id);
  if (location === undefined) throw new ProtobufError(`there is no location ${id}`, 0);
  if (location.functions.length === 0) return [{ kind: FOREIGN_KIND, value: `0x${location.address.toString(16)}` }];
  return location.functions.toReversed().flatMap(functionId => {
    const known = raw.functions.get(functionId);
    if (known === undefined) throw new ProtobufError(`there is no function ${functionId}`, 0);
    const name = string(known.name);
    const kind = string(known.filename);
    // Names have passed pprofName as a whole, so the kind in them has too.
    const lead = pprofName({ kind, value: '' });
    if (kind === '' && name === NO_FRAME) return [];
    return kind !== '' && name.startsWith(lead)
      ? { kind, value: name.slice(lead.length) }
      : { kind: FOREIGN_KIND, value: name };
  });
}

function rawProfile(bytes: Uint8Array): RawProfile {
  const raw: RawProfile = {
    strings: [],
    sampleTypes: [],
    samples: [],
    locations: new Map(),
    functions: new Map(),
    comments: [],
    timeNanos: 0n,
    durationNanos: 0n,
    defaultType: 0,
  };
  const at = new ProtoReader(bytes);
  while (at.next()) {
    if (at.field === 1) raw.sampleTypes.push(valueType(at.message));
    else if (at.field === 2) raw.samples.push(sampleIn(at.message));
    else if (at.field === 4) readLocation(at.message, raw);
    else if (at.field === 5) readFunction(at.message, raw);
    else if (at.field === 6) raw.strings.push(at.text);
    else if (at.field === 9) raw.timeNanos = at.int64;
    else if (at.field === 10) raw.durationNanos = at.int64;
    else if (at.field === 13) raw.comments.push(...[...at.integers()].map(Number));
    else if (at.field === 14) raw.defaultType = at.number;
  }
  return raw;
}

function valueType(at: ProtoReader): { type: number; unit: number } {
  const made = { type: 0, unit: 0 };
  while (at.next()) {
    if (at.field === 1) made.type = at.number;
    else if (at.field === 2) made.unit = at.number;
  }
  return made;
}

function sampleIn(at: ProtoReader): RawSample {
  const made: RawSample = { locations: [], values: [], labels: [] };
  while (at.next()) {
    if (at.field === 1) for (const id of at.integers()) made.locations.push(Number(id));
    else if (at.field === 2) for (const value of at.integers()) made.values.push(BigInt.asIntN(64, value));
    else if (at.field === 3) made.labels.push(labelIn(at.message));
  }
  return made;
}

function labelIn(at: ProtoReader): RawLabel {
  const made = { key: 0, text: 0, number: 0n, unit: 0 };
  while (at.next()) {
    if (at.field === 1) made.key = at.number;
    else if (at.field === 2) made.text = at.number;
    else if (at.field === 3) made.number = at.int64;
    else if (at.field === 4) made.unit = at.number;
  }
  return made;
}

function readLocation(at: ProtoReader, raw: RawProfile): void {
  let id = 0;
  let address = 0n;
  const functions: number[] = [];
  while (at.next()) {
    if (at.field === 1) id = at.number;
    else if (at.field === 3) address = at.value;
    else if (at.field === 4) {
      const line = at.message;
      while (line.next()) if (line.field === 1) functions.push(line.number);
    }
  }
  raw.locations.set(id, { functions, address });
}

function readFunction(at: ProtoReader, raw: RawProfile): void {
  const made = { name: 0, filename: 0 };
  let id = 0;
  while (at.next()) {
    if (at.field === 1) id = at.number;
    else if (at.field === 2) made.name = at.number;
    else if (at.field === 4) made.filename = at.number;
  }
  raw.functions.set(id, made);
}
