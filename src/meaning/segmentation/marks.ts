/**
 * A mark: from its start node up to `next` (exclusive; null is the end of the session) everything is one piece of work,
 * called `tag`. `parent` is the start of the smallest mark around it, null for an outermost one. Marks of one session
 * nest or lie apart, and the outermost ones cover all of it.
 */
export interface Mark {
  readonly tag: string;
  readonly parent: string | null;
  readonly next: string | null;
  /** How sure the segmenter is that something new begins here, 0 to 1; absent where it did not say. */
  readonly sure?: number;
}

/** A mark with the positions of its nodes in the session, `end` exclusive, and the marks inside it. */
export interface Segment {
  readonly start: string;
  readonly begin: number;
  readonly end: number;
  readonly tag: string;
  readonly sure: number | undefined;
  readonly children: readonly Segment[];
}

/**
 * What a segmenter writes: marks by the node they start at. Where several begin at one node they stand in a list, the
 * outermost first.
 */
export type Annotation = Readonly<Record<string, Mark | readonly Mark[]>>;

/** What is wrong with an annotation: the smallest thing, by the number of nodes it spans. */
export class AnnotationFault extends Error {
  override readonly name = 'AnnotationFault';
}

export const DEEPEST = 8;
const LONGEST_TAG = 60;

interface Placed {
  readonly start: string;
  readonly begin: number;
  readonly end: number;
  readonly mark: Mark;
  /** Place in the list of its start node. */
  readonly order: number;
}

/** One session as an annotation sees it: ids in order. */
export interface Ordered {
  readonly key: string;
  readonly ids: readonly string[];
}

/** The segments of each session, by its key. Throws AnnotationFault; then nothing of the annotation is to be used. */
export function segmentsIn(annotation: unknown, sessions: readonly Ordered[]): Map<string, Segment[]> {
  const faults = new Faults();
  const places = new Map<string, { readonly session: Ordered; readonly at: number }>();
  for (const session of sessions)
    session.ids.forEach((id, at) => {
      places.set(id, { session, at });
    });
  const placed = new Map<string, Placed[]>(sessions.map(({ key }) => [key, []]));
  for (const [start, value] of entriesOf(annotation, faults)) {
    const place = places.get(start);
    if (!place) {
      faults.add(0, `there is no node ${JSON.stringify(start)} in the trace`);
      continue;
    }
    marksAt(start, value, faults).forEach((mark, order) => {
      const end = endOf(start, mark, place, places, faults);
      if (end !== undefined) placed.get(place.session.key)?.push({ start, begin: place.at, end, mark, order });
    });
  }
  faults.raise();
  const segments = new Map<string, Segment[]>();
  for (const session of sessions) segments.set(session.key, nested(session, placed.get(session.key) ?? [], faults));
  faults.raise();
  return segments;
}

class Faults {
  private readonly found: { readonly size: number; readonly message: string }[] = [];

  get count(): number {
    return this.found.length;
  }

  add(size: number, message: string): void {
    this.found.push({ size, message });
  }

  raise(): void {
    const smallest = this.found.reduce<(typeof this.found)[number] | undefined>(
      (least, fault) => (least === undefined || fault.size < least.size ? fault : least),
      undefined,
    );
    if (!smallest) return;
    const more = this.found.length - 1;
    throw new AnnotationFault(smallest.message + (more > 0 ? ` (and ${more} more)` : ''));
  }
}

function entriesOf(annotation: unknown, faults: Faults): [string, unknown][] {
  if (typeof annotation === 'object' && annotation !== null && !Array.isArray(annotation))
    return Object.entries(annotation);
  faults.add(0, 'the annotation is no object of start nodes and marks');
  return [];
}

function marksAt(start: string, value: unknown, faults: Faults): Mark[] {
  const list = Array.isArray(value) ? value : [value];
  if (list.length === 0) faults.add(1, `node ${start}: an empty list marks nothing`);
  return list.flatMap(each => {
    const wrong = shapeFault(each);
    if (wrong === undefined) return [each as Mark];
    faults.add(1, `node ${start}: ${wrong}`);
    return [];
  });
}

function shapeFault(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return 'a mark is an object of tag, parent and next';
  const { tag, parent, next, sure } = value as Record<string, unknown>;
  if (typeof tag !== 'string' || tag.trim() === '') return 'the tag is missing';
  if (tag.length > LONGEST_TAG) return `the tag has ${tag.length} characters, more than ${LONGEST_TAG}`;
  if (/[\u0000-\u001f]/.test(tag)) return 'the tag has control characters';
  for (const [name, id] of Object.entries({ parent, next }))
    if (id !== null && typeof id !== 'string') return `${name} is neither a node nor null`;
  if (sure !== undefined && (typeof sure !== 'number' || !(sure >= 0 && sure <= 1)))
    return 'sure is not within 0 and 1';
  return undefined;
}

type Place = { readonly session: Ordered; readonly at: number };

function endOf(start: string, mark: Mark, place: Place, places: ReadonlyMap<string, Place>, faults: Faults) {
  if (mark.next === null) return place.session.ids.length;
  const next = places.get(mark.next);
  if (!next) faults.add(0, `node ${start}: next is ${JSON.stringify(mark.next)}, which is no node of the trace`);
  else if (next.session !== place.session) faults.add(1, `node ${start}: next lies in another session`);
  else if (next.at <= place.at) faults.add(1, `node ${start}: next is not behind it`);
  else return next.at;
  return undefined;
}

interface Open {
  readonly placed: Placed;
  readonly children: Segment[];
}

function nested({ key, ids }: Ordered, placed: Placed[], faults: Faults): Segment[] {
  placed.sort((a, b) => a.begin - b.begin || a.order - b.order);
  const top: Segment[] = [];
  const open: Open[] = [];
  let covered = 0;
  const gaps: number[] = [];
  const before = faults.count;
  const close = (until: number) => {
    for (let last = open.at(-1); last && last.placed.end <= until; last = open.at(-1)) {
      open.pop();
      const { start, begin, end, mark } = last.placed;
      const segment: Segment = { start, begin, end, tag: mark.tag, sure: mark.sure, children: last.children };
      const around = open.at(-1);
      if (around) around.children.push(segment);
      else top.push(segment);
    }
  };
  for (const each of placed) {
    close(each.begin);
    const around = open.at(-1);
    const size = each.end - each.begin;
    if (around && each.end > around.placed.end)
      faults.add(size, `the mark at ${each.start} crosses the end of the one at ${around.placed.start}`);
    else if ((around?.placed.start ?? null) !== each.mark.parent)
      faults.add(
        size,
        `the mark at ${each.start} lies in ${around ? `the one at ${around.placed.start}` : 'no other'}, not in ${each.mark.parent ?? 'none'}`,
      );
    else if (open.length >= DEEPEST) faults.add(size, `the mark at ${each.start} is nested more than ${DEEPEST} deep`);
    if (!around) {
      if (each.begin > covered) gaps.push(covered);
      covered = Math.max(covered, each.end);
    }
    open.push({ placed: each, children: [] });
  }
  close(Number.POSITIVE_INFINITY);
  if (covered < ids.length) gaps.push(covered);
  // Marks that cross or stand in the wrong place leave gaps that are not the fault.
  if (faults.count === before)
    for (const gap of gaps) faults.add(1, `node ${ids[gap]} of session ${key} is in no mark`);
  return top;
}

/** Segments of a session as marks by their start nodes. */
export function annotationOf(segments: readonly Segment[], ids: readonly string[]): Annotation {
  const marks: Record<string, Mark | Mark[]> = {};
  const add = (segment: Segment, parent: string | null) => {
    const mark: Mark = {
      tag: segment.tag,
      parent,
      next: ids[segment.end] ?? null,
      ...(segment.sure === undefined ? {} : { sure: Math.round(segment.sure * 1000) / 1000 }),
    };
    const before = marks[segment.start];
    if (before === undefined) marks[segment.start] = mark;
    else marks[segment.start] = [...(Array.isArray(before) ? before : [before]), mark];
    for (const child of segment.children) add(child, segment.start);
  };
  for (const segment of segments) add(segment, null);
  return marks;
}

/** The segments without any inside, in order. */
export function leavesOf(segments: readonly Segment[]): Segment[] {
  return segments.flatMap(segment => (segment.children.length === 0 ? [segment] : leavesOf(segment.children)));
}
