import type { CellDimension, CellSlot, Cells, ChainLevel, EvidenceTable } from '../profile/cells.ts';
import type { Measure } from '../trace/measures.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { type KeptTimelines, readTimelines, writeTimelines } from './timelines-code.ts';

/** What a page is told beside the cells: the projection it starts with, and what it says about its origin. */
export interface PageFacts {
  readonly version: string;
  readonly view: string;
  readonly measure: string;
  readonly stack: readonly string[];
  /** What was selected, in words. */
  readonly subtitle: string;
  readonly comments: readonly string[];
  /** Texts of evidence by its position, where a person asked for them. */
  readonly previews: readonly string[];
  /** A server stands behind the page and gives what the file leaves out. */
  readonly served?: boolean;
}

/** Everything of a page that is not the program. */
export interface PageContent {
  readonly facts: PageFacts;
  readonly cells: Cells;
  /** Sessions over time; without it none are kept. */
  readonly timelines?: KeptTimelines;
}

const SCHEMA = 'agentpprof.cells/2';

/**
 * The content as bytes that compress well: a JSON head, then one column after the other, because what lies beside
 * each other there is alike. Codes are 0 where they repeat the one above. Times that are whole microseconds or
 * milliseconds are written as those with the (mostly zero) rest apart, costs as their distance from the price that
 * their model had in most cells.
 */
export function encodePage({ facts, cells, timelines }: PageContent): Uint8Array {
  const out = new ByteWriter();
  const model = modelCodes(cells);
  const prices = cells.slots.map(slot => (isCost(cells, slot) ? pricesOf(slot, siblingOf(cells, slot), model) : []));
  const steps = cells.slots.map(slot => stepOf(slot.values));
  const head = {
    schema: SCHEMA,
    facts,
    length: cells.length,
    measures: cells.measures,
    chains: cells.chains,
    dimensions: cells.dimensions.map(({ name, values }) => ({ name, values })),
    slots: cells.slots.map(({ token, domain, measures }, at) => ({
      token,
      domain,
      measures,
      prices: prices[at],
      step: steps[at],
    })),
    evidence: cells.evidence.length,
  };
  out.text(JSON.stringify(head));
  for (const { codes } of cells.dimensions) writeCodes(out, codes);
  writeCodes(out, cells.chain);
  cells.slots.forEach((slot, at) => {
    const price = prices[at] as number[];
    if (price.length > 0) writeCosts(out, slot, siblingOf(cells, slot) as CellSlot, price, model);
    else writeAmounts(out, slot.values, steps[at] as number);
  });
  const { evidence } = cells;
  for (const column of [evidence.cell, evidence.file, evidence.offset, evidence.bytes, evidence.start])
    writeDeltas(out, column);
  writeTimelines(out, timelines ?? { kept: [], left: 0 });
  return out.finish();
}

/** `timelines` are read when they are first asked for. */
export function decodePage(bytes: Uint8Array): Required<PageContent> {
  const from = new ByteReader(bytes);
  const head = JSON.parse(from.text()) as Head;
  const { length } = head;
  const dimensions: CellDimension[] = head.dimensions.map(({ name, values }) => ({
    name,
    values,
    codes: readCodes(from, length),
  }));
  const chain = readCodes(from, length);
  const model = dimensions.find(dimension => dimension.name === 'model')?.codes;
  const slots: CellSlot[] = [];
  for (const { token, domain, measures, prices, step } of head.slots) {
    const sibling = slots.find(slot => slot.token === token && slot.domain === domain);
    const values =
      prices.length > 0 && sibling ? readCosts(from, sibling, prices, model) : readAmounts(from, length, step);
    slots.push({ token, domain, measures, values });
  }
  const column = () => readDeltas(from, head.evidence);
  const evidence: EvidenceTable = {
    length: head.evidence,
    cell: Uint32Array.from(column()),
    file: Uint32Array.from(column()),
    offset: column(),
    bytes: column(),
    start: column(),
    row: new Uint32Array(0),
  };
  let timelines: KeptTimelines | undefined;
  return {
    facts: head.facts,
    get timelines() {
      timelines ??= readTimelines(from);
      return timelines;
    },
    cells: { length, measures: head.measures, dimensions, chains: head.chains, chain, slots, evidence },
  };
}

interface Head {
  readonly facts: PageFacts;
  readonly length: number;
  readonly measures: readonly Measure[];
  readonly chains: readonly (readonly ChainLevel[])[];
  readonly dimensions: readonly { name: string; values: string[] }[];
  readonly slots: readonly { token: string; domain: boolean; measures: number[]; prices: number[]; step: number }[];
  readonly evidence: number;
}

function modelCodes(cells: Cells): Uint32Array | undefined {
  return cells.dimensions.find(dimension => dimension.name === 'model')?.codes;
}

function isCost(cells: Cells, slot: CellSlot): boolean {
  return (
    slot.token !== '' &&
    slot.measures.length === 1 &&
    cells.measures[slot.measures[0] as number]?.name === 'cost' &&
    siblingOf(cells, slot) !== slot
  );
}

/** The first slot of the same portion, which is read before this one: the count of tokens that the cost is for. */
function siblingOf(cells: Cells, slot: CellSlot): CellSlot | undefined {
  return cells.slots.find(each => each.token === slot.token && each.domain === slot.domain);
}

/** By code of the model: nano-dollars a token in its largest cell, an integer; 0 where the model has no cost. */
function pricesOf(slot: CellSlot, tokens: CellSlot | undefined, model: Uint32Array | undefined): number[] {
  if (!tokens) return [];
  const most: number[] = [];
  const prices: number[] = [];
  for (let cell = 0; cell < slot.values.length; cell++) {
    const code = model?.[cell] ?? 0;
    const count = tokens.values[cell] as number;
    if (count === 0 || count <= (most[code] ?? 0)) continue;
    most[code] = count;
    prices[code] = Math.round((slot.values[cell] as number) / count);
  }
  return Array.from(prices, price => price ?? 0);
}

function writeCosts(
  out: ByteWriter,
  slot: CellSlot,
  tokens: CellSlot,
  prices: readonly number[],
  model: Uint32Array | undefined,
): void {
  for (let cell = 0; cell < slot.values.length; cell++) {
    const expected = (prices[model?.[cell] ?? 0] ?? 0) * (tokens.values[cell] as number);
    const cost = slot.values[cell] as number;
    // Beyond exact doubles the distance would not be exact either: 1 says that the cost itself follows.
    const exact = expected <= Number.MAX_SAFE_INTEGER / 4 && cost <= Number.MAX_SAFE_INTEGER / 4;
    if (exact) out.varint(cost === expected ? 0 : 2 + zigzag(cost - expected));
    else {
      out.varint(1);
      out.varint(cost);
    }
  }
}

function readCosts(
  from: ByteReader,
  tokens: CellSlot,
  prices: readonly number[],
  model: Uint32Array | undefined,
): Float64Array {
  const values = new Float64Array(tokens.values.length);
  for (let cell = 0; cell < values.length; cell++) {
    const said = from.varint();
    if (said === 1) values[cell] = from.varint();
    else
      values[cell] =
        (prices[model?.[cell] ?? 0] ?? 0) * (tokens.values[cell] as number) + (said === 0 ? 0 : unzigzag(said - 2));
  }
  return values;
}

function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

function unzigzag(value: number): number {
  return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
}

function writeCodes(out: ByteWriter, codes: Uint32Array): void {
  let before = 0;
  for (const code of codes) {
    out.varint(code === before ? 0 : code + 1);
    before = code;
  }
}

function readCodes(from: ByteReader, length: number): Uint32Array {
  const codes = new Uint32Array(length);
  let before = 0;
  for (let cell = 0; cell < length; cell++) {
    const said = from.varint();
    if (said !== 0) before = said - 1;
    codes[cell] = before;
  }
  return codes;
}

/** The largest of these steps that most values are whole numbers of. */
function stepOf(values: Float64Array): number {
  for (const step of [1_000_000, 1_000]) {
    let there = 0;
    let whole = 0;
    for (const value of values) {
      if (value === 0) continue;
      there++;
      if (value % step === 0) whole++;
    }
    if (there > 0 && whole * 2 > there) return step;
  }
  return 1;
}

function writeAmounts(out: ByteWriter, values: Float64Array, step: number): void {
  for (const value of values) out.varint(Math.floor(value / step));
  if (step > 1) for (const value of values) out.varint(value % step);
}

function readAmounts(from: ByteReader, length: number, step: number): Float64Array {
  const values = new Float64Array(length);
  for (let cell = 0; cell < length; cell++) values[cell] = from.varint() * step;
  if (step > 1) for (let cell = 0; cell < length; cell++) values[cell] = (values[cell] as number) + from.varint();
  return values;
}

function writeDeltas(out: ByteWriter, values: ArrayLike<number>): void {
  let before = 0;
  for (let i = 0; i < values.length; i++) {
    out.signed((values[i] as number) - before);
    before = values[i] as number;
  }
}

function readDeltas(from: ByteReader, length: number): Float64Array {
  const values = new Float64Array(length);
  let before = 0;
  for (let i = 0; i < length; i++) values[i] = before += from.signed();
  return values;
}
