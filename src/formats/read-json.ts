import { ProfileBuilder } from '../profile/build.ts';
import type { Label, Profile } from '../profile/profile.ts';
import type { Measure } from '../trace/measures.ts';
import { PROFILE_SCHEMA } from './json.ts';

/** A file that is not the JSON profile it should be; the message says where. */
export class JsonProfileError extends Error {
  override readonly name = 'JsonProfileError';
}

type Fields = Readonly<Record<string, unknown>>;
const UNITS: readonly unknown[] = ['count', 'nanoseconds', 'microusd'];

/** Reads what `writeJson` wrote, without the evidence, which no comparison needs. Throws JsonProfileError. */
export function readJson(text: string): Profile {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw new JsonProfileError(`is not JSON: ${error instanceof Error ? error.message : 'unknown reason'}`);
  }
  const top = object(file, 'the file');
  if (top.schema !== PROFILE_SCHEMA)
    throw new JsonProfileError(`its schema is ${JSON.stringify(top.schema) ?? 'missing'}, not "${PROFILE_SCHEMA}"`);
  const measures = list(top.measures, 'measures').map((each, i): Measure => {
    const { name, unit } = object(each, `measures[${i}]`);
    if (!UNITS.includes(unit)) throw new JsonProfileError(`measures[${i}].unit is ${JSON.stringify(unit)}`);
    return { name: string(name, `measures[${i}].name`), unit: unit as Measure['unit'] };
  });
  const builder = new ProfileBuilder(measures);
  const frames = list(top.frames, 'frames').map((each, i) => {
    const { kind, value } = object(each, `frames[${i}]`);
    return builder.stacks.frameId(string(kind, `frames[${i}].kind`), string(value, `frames[${i}].value`));
  });
  const sets = list(top.label_sets, 'label_sets').map((each, i) =>
    builder.labels(list(each, `label_sets[${i}]`).map((label, at) => labelOf(label, `label_sets[${i}][${at}]`))),
  );
  list(top.samples, 'samples').forEach((each, i) => {
    const { stack, labels, values } = object(each, `samples[${i}]`);
    let node = 0;
    for (const id of list(stack, `samples[${i}].stack`)) {
      const frame = frames[id as number];
      if (frame === undefined) throw new JsonProfileError(`samples[${i}].stack names frame ${JSON.stringify(id)}`);
      node = builder.stacks.child(node, frame);
    }
    const set = sets[labels as number];
    if (set === undefined) throw new JsonProfileError(`samples[${i}].labels is ${JSON.stringify(labels)}`);
    const own = list(values, `samples[${i}].values`).map((value, m) => integer(value, `samples[${i}].values[${m}]`));
    if (own.length !== measures.length)
      throw new JsonProfileError(`samples[${i}] has ${own.length} values for ${measures.length} measures`);
    builder.add(node, set, own);
  });
  const measure = string(top.measure, 'measure');
  if (!measures.some(each => each.name === measure))
    throw new JsonProfileError(`measure is ${JSON.stringify(measure)}, which is none of its measures`);
  return builder.finish({
    view: string(top.view, 'view'),
    measure,
    comments: list(top.comments, 'comments').map((each, i) => string(each, `comments[${i}]`)),
    timeNanos: integer(top.time_nanos, 'time_nanos'),
    durationNanos: integer(top.duration_nanos, 'duration_nanos'),
  });
}

function labelOf(value: unknown, where: string): Label {
  const { key, text, number, unit } = object(value, where);
  if (text !== undefined) return { key: string(key, `${where}.key`), text: string(text, `${where}.text`) };
  if (typeof number !== 'number') throw new JsonProfileError(`${where} has neither a text nor a number`);
  return { key: string(key, `${where}.key`), number, unit: string(unit, `${where}.unit`) };
}

function object(value: unknown, where: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new JsonProfileError(`${where} is not an object`);
}

function list(value: unknown, where: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new JsonProfileError(`${where} is not a list`);
}

function string(value: unknown, where: string): string {
  if (typeof value === 'string') return value;
  throw new JsonProfileError(`${where} is not a text`);
}

/** A number where it is exact, else a text of its digits, as `writeJson` writes it. */
function integer(value: unknown, where: string): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === 'string' && /^-?\d{1,19}$/.test(value)) return BigInt(value);
  throw new JsonProfileError(`${where} is not an integer`);
}
