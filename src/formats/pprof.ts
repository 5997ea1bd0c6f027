import { LabelColumns } from '../profile/label-columns.ts';
import type { Frame, Label, Profile } from '../profile/profile.ts';
import { GzipSink } from './gzip.ts';
import { encoderRuns, encodeSamples, type LabelBytes } from './kernel/kernel.ts';
import { NO_FRAME, pprofName } from './names.ts';
import { halvesOf, LOW_HALF, MAX_VARINT, ProtoWriter, putInt64, putVarint, varintLength } from './protobuf.ts';
import type { Sink } from './sink.ts';

/** Field numbers of profile.proto (https://github.com/google/pprof/blob/main/proto/profile.proto). */
const PROFILE = {
  sampleType: 1,
  sample: 2,
  mapping: 3,
  location: 4,
  function: 5,
  stringTable: 6,
  timeNanos: 9,
  durationNanos: 10,
  comment: 13,
  /** 15 is doc_url. */
  defaultSampleType: 14,
} as const;
const VALUE_TYPE = { type: 1, unit: 2 } as const;
const LABEL = { key: 1, text: 2, number: 3, unit: 4 } as const;
const MAPPING = { id: 1, hasFunctions: 7, hasFilenames: 8, hasLineNumbers: 9, hasInlineFrames: 10 } as const;
const LOCATION = { id: 1, mapping: 2, line: 4 } as const;
const LINE = { function: 1 } as const;
const FUNCTION = { id: 1, name: 2, filename: 4 } as const;

/** First bytes of a sample's parts: field number times 8 plus wire type 2. */
const SAMPLE_TAG = PROFILE.sample * 8 + 2;
const LOCATIONS_TAG = 1 * 8 + 2;
const VALUES_TAG = 2 * 8 + 2;
const LABEL_FIELD = 3;
const LABEL_TAG = LABEL_FIELD * 8 + 2;

const CHUNK = 1 << 20;

interface PprofOptions {
  /** Whether samples are encoded in WebAssembly, where it runs unless told otherwise; the bytes are the same. */
  readonly kernel?: boolean;
  /** The sink is done with a chunk when it returns, so chunks may be parts of a buffer that is used again. */
  readonly borrowed?: boolean;
}

/**
 * Writes a gzipped profile.proto, what every pprof reads. Level 1: a higher one costs seconds a million samples
 * and saves an eighth. Shape of the message: writePprofRaw.
 */
export function writePprof(profile: Profile, sink: Sink): void {
  const gzip = new GzipSink(sink, 1);
  writePprofRaw(profile, chunk => gzip.add(chunk), { borrowed: true });
  gzip.end();
}

/**
 * Writes profile.proto as it is. All measures become sample types in their order, the view's is the default one.
 *
 * Each frame is one function and one location, ids from 1 in the order of `frames`, so equal frames of two profiles
 * are subtracted by name. The name is `kind::value`; the file name is the kind, so that `-files` sums
 * by kind. The system name stays empty: pprof takes a name whose system name is equal for a mangled C++ symbol.
 * There is one mapping, whose flags say that nothing is left to symbolise. A sample without frames has a function of its own
 * without a file name: pprof leaves out a sample without a location, and its values would be lost. A text label that
 * is empty says nothing and is left out; a numeric label is rounded to an integer.
 */
export function writePprofRaw(whole: Profile, sink: (chunk: Uint8Array) => void, options: PprofOptions = {}): void {
  const profile = withPlaceForAll(whole);
  const { kernel = encoderRuns(), borrowed = false } = options;
  const strings = new StringTable();
  const out = new ProtoWriter(CHUNK, chunk => sink(chunk as Uint8Array));
  const part = new ProtoWriter(256);

  for (const measure of profile.measures) {
    part.clear();
    part.number(VALUE_TYPE.type, strings.idOf(measure.name));
    part.number(VALUE_TYPE.unit, strings.idOf(measure.unit));
    out.message(PROFILE.sampleType, part.view());
  }

  const labels = labelBytes(profile, strings);
  if (kernel) {
    out.flush();
    encodeSamples(profile, labels, borrowed ? sink : chunk => sink(chunk.slice()));
  } else writeSamples(profile, labels, out);

  part.clear();
  part.number(MAPPING.id, 1);
  part.number(MAPPING.hasFunctions, 1);
  part.number(MAPPING.hasFilenames, 1);
  part.number(MAPPING.hasLineNumbers, 1);
  part.number(MAPPING.hasInlineFrames, 1);
  out.message(PROFILE.mapping, part.view());

  const line = new ProtoWriter(2 * MAX_VARINT);
  for (let id = 1; id <= profile.frames.length; id++) {
    line.clear();
    line.number(LINE.function, id);
    part.clear();
    part.number(LOCATION.id, id);
    part.number(LOCATION.mapping, 1);
    part.message(LOCATION.line, line.view());
    out.message(PROFILE.location, part.view());
  }
  profile.frames.forEach((frame, index) => {
    part.clear();
    part.number(FUNCTION.id, index + 1);
    part.number(FUNCTION.name, strings.idOf(frame === NOWHERE ? NO_FRAME : pprofName(frame)));
    part.number(FUNCTION.filename, strings.idOf(frame.kind));
    out.message(PROFILE.function, part.view());
  });

  const comments = profile.comments.map(comment => strings.idOf(comment));
  const defaultType = strings.idOf(profile.measure);
  for (const text of strings.texts) out.text(PROFILE.stringTable, text);
  out.int64(PROFILE.timeNanos, profile.timeNanos);
  out.int64(PROFILE.durationNanos, profile.durationNanos);
  for (const comment of comments) out.number(PROFILE.comment, comment);
  out.number(PROFILE.defaultSampleType, defaultType);
  out.flush();
}

const NOWHERE: Frame = { kind: '', value: NO_FRAME };

/** The same profile, in which samples that had no frame have NOWHERE. */
function withPlaceForAll(profile: Profile): Profile {
  const { samples, nodes, frames } = profile;
  if (!samples.node.includes(0)) return profile;
  const added = nodes.parent.length;
  return {
    ...profile,
    frames: [...frames, NOWHERE],
    nodes: { parent: withOneMore(nodes.parent, 0), frame: withOneMore(nodes.frame, frames.length) },
    samples: { ...samples, node: samples.node.map(node => (node === 0 ? added : node)) },
  };
}

function withOneMore(numbers: Uint32Array, last: number): Uint32Array {
  const more = new Uint32Array(numbers.length + 1);
  more.set(numbers);
  more[numbers.length] = last;
  return more;
}

/** profile.proto's table of strings: number 0 is the empty one. */
class StringTable {
  readonly texts: string[] = [''];
  private readonly ids = new Map<string, number>([['', 0]]);

  idOf(text: string): number {
    const known = this.ids.get(text);
    if (known !== undefined) return known;
    const id = this.texts.length;
    this.texts.push(text);
    this.ids.set(text, id);
    return id;
  }
}

type NumberLabel = Extract<Label, { readonly number: number }>;

/** A first guess, so that the buffer seldom has to grow. */
const USUAL_LABEL_BYTES = 9;

function labelBytes(profile: Profile, strings: StringTable): LabelBytes {
  if (profile.labelSets instanceof LabelColumns) return columnBytes(profile.labelSets, strings);
  let count = 0;
  for (const labels of profile.labelSets) count += labels.length;
  const all = new ProtoWriter(count * USUAL_LABEL_BYTES + 4 * MAX_VARINT);
  const first = new Uint32Array(profile.labelSets.length + 1);
  // There may be as many label sets as samples. Nearly all name the same keys in the same order, and most begin as the one before.
  const keys: string[] = [];
  const keyIds: number[] = [];
  const texts: string[] = [];
  const textIds: number[] = [];
  let set = 0;
  for (const labels of profile.labelSets) {
    for (let i = 0; i < labels.length; i++) {
      const label = labels[i]!;
      if (keys[i] !== label.key) {
        keys[i] = label.key;
        keyIds[i] = strings.idOf(label.key);
      }
      if (!('text' in label)) putNumberLabel(keyIds[i]!, label, strings, all);
      else if (label.text !== '') {
        if (texts[i] !== label.text) {
          texts[i] = label.text;
          textIds[i] = strings.idOf(label.text);
        }
        putTextLabel(keyIds[i]!, textIds[i]!, all);
      }
    }
    first[++set] = all.length;
  }
  return { bytes: all.view(), first };
}

/** The same of sets that are columns: a text is looked up once, not once a set. */
function columnBytes({ length, columns }: LabelColumns, strings: StringTable): LabelBytes {
  const all = new ProtoWriter(length * columns.length * USUAL_LABEL_BYTES + 4 * MAX_VARINT);
  const first = new Uint32Array(length + 1);
  const keyIds = columns.map(() => 0);
  const textIds = columns.map(({ texts }) => new Uint32Array(texts.length));
  for (let set = 0; set < length; set++) {
    for (let i = 0; i < columns.length; i++) {
      const { key, texts, ranks } = columns[i]!;
      const rank = ranks[set]!;
      if (rank === 0) continue;
      if (keyIds[i] === 0) keyIds[i] = strings.idOf(key);
      if (texts[rank] === '') continue;
      if (textIds[i]![rank] === 0) textIds[i]![rank] = strings.idOf(texts[rank]!);
      putTextLabel(keyIds[i]!, textIds[i]![rank]!, all);
    }
    first[set + 1] = all.length;
  }
  return { bytes: all.view(), first };
}

function putTextLabel(keyId: number, textId: number, into: ProtoWriter): void {
  into.ensure(4 * MAX_VARINT);
  const { bytes } = into;
  let at = into.length;
  bytes[at++] = LABEL_TAG;
  bytes[at++] = 2 + varintLength(keyId) + varintLength(textId);
  bytes[at++] = LABEL.key * 8;
  at = putVarint(bytes, at, keyId);
  bytes[at++] = LABEL.text * 8;
  into.length = putVarint(bytes, at, textId);
}

function putNumberLabel(keyId: number, label: NumberLabel, strings: StringTable, into: ProtoWriter): void {
  const one = new ProtoWriter(8 * MAX_VARINT);
  one.number(LABEL.key, keyId);
  one.int64(LABEL.number, BigInt(Math.round(label.number)));
  one.number(LABEL.unit, strings.idOf(label.unit));
  into.message(LABEL_FIELD, one.view());
}

/** The kernel's twin, for runtimes without WebAssembly. It makes no objects and no BigInts. */
function writeSamples(profile: Profile, labels: LabelBytes, out: ProtoWriter): void {
  const { samples, nodes } = profile;
  const halves = samples.values.map(halvesOf);
  const measures = halves.length;
  const high = 1 - LOW_HALF;
  const values = new Uint8Array(measures * MAX_VARINT);
  let locations = new Uint8Array(1024);
  let locationsLength = 0;
  let locationsOf = -1;

  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    // Samples are sorted by stack, so the next one often has the same.
    if (node !== locationsOf) {
      locationsLength = 0;
      for (let n = node; n !== 0; n = nodes.parent[n]!) {
        if (locationsLength + MAX_VARINT > locations.length) locations = doubled(locations);
        locationsLength = putVarint(locations, locationsLength, nodes.frame[n]! + 1);
      }
      locationsOf = node;
    }

    let valuesLength = 0;
    for (let m = 0; m < measures; m++) {
      const half = halves[m]!;
      valuesLength = putInt64(values, valuesLength, half[2 * i + LOW_HALF]!, half[2 * i + high]!);
    }

    const set = samples.labels[i]!;
    const labelsFrom = labels.first[set]!;
    const labelsLength = labels.first[set + 1]! - labelsFrom;
    let length = 1 + varintLength(valuesLength) + valuesLength + labelsLength;
    if (locationsLength > 0) length += 1 + varintLength(locationsLength) + locationsLength;

    out.ensure(length + 1 + MAX_VARINT);
    const bytes = out.bytes;
    let at = out.length;
    bytes[at++] = SAMPLE_TAG;
    at = putVarint(bytes, at, length);
    if (locationsLength > 0) {
      bytes[at++] = LOCATIONS_TAG;
      at = putVarint(bytes, at, locationsLength);
      at = copy(locations, 0, locationsLength, bytes, at);
    }
    bytes[at++] = VALUES_TAG;
    at = putVarint(bytes, at, valuesLength);
    at = copy(values, 0, valuesLength, bytes, at);
    out.length = copy(labels.bytes, labelsFrom, labelsLength, bytes, at);
  }
}

/** Copies by hand what is short: a subarray for each piece would cost more than its bytes. */
function copy(from: Uint8Array, start: number, length: number, to: Uint8Array, at: number): number {
  if (length > 256) {
    to.set(from.subarray(start, start + length), at);
    return at + length;
  }
  for (let i = 0; i < length; i++) to[at + i] = from[start + i]!;
  return at + length;
}

function doubled(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const grown = new Uint8Array(bytes.length * 2);
  grown.set(bytes);
  return grown;
}
