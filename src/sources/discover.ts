import { readDocument, readHead } from '../ingest/records.ts';
import { type Discovery, find, type Looking, type SearchPlan, type Verdicts } from './find.ts';
import type { Reader } from './reader.ts';

/** Finds the files of all agents as `find` does, and looks into those that are named outright. Throws UsageError. */
export function discover(
  plan: SearchPlan,
  readers: readonly Reader[],
  operationFiles: readonly string[] = [],
  verdicts?: Verdicts,
): Discovery {
  return find(plan, readers, operationFiles, verdicts, looking(readers));
}

function looking(readers: readonly Reader[]): Looking {
  return {
    whose(path, name) {
      const head = readHead(path, 20);
      if (head.empty) return 'empty';
      const whole = head.binary ? undefined : documentOf(path, head.records);
      const seen = { path: name, records: head.records, ...(whole === undefined ? {} : { document: whole }) };
      const said = head.records.length > 0 || whole !== undefined;
      return readers.find(each => (said ? each.sniff(seen) : each.sniffWhole?.(path)));
    },
    isCompanion: name => readers.some(each => each.companion?.(name)),
  };
}

/** Strings of a document that is only looked at are cut as those of a head. */
const DOCUMENT_TEXT = 1 << 10;

/** A file that is one JSON value over several lines has no records at its head: it is read whole, strings cut. */
function documentOf(path: string, records: readonly unknown[]): unknown {
  if (records.some(record => typeof record === 'object' && record !== null)) return undefined;
  return readDocument(path, DOCUMENT_TEXT).value;
}
