import { recordAt } from '../../ingest/evidence.ts';
import type { Reader } from '../reader.ts';
import { DocumentSink } from './document.ts';
import { KEEP } from './keep.ts';
import { companion, isDocumentPath } from './paths.ts';
import { sniff, sniffDatabase } from './sniff.ts';
import { readDatabase, rowAt } from './store.ts';
import { whereabouts } from './whereabouts.ts';

/** OpenCode, 1.0 (JSON storage) to 1.18 (SQLite), and its exports: see README.md beside this file. */
export const opencode: Reader = {
  ...whereabouts,
  keep: KEEP,
  sniff,
  sniffWhole: sniffDatabase,
  isDocument: isDocumentPath,
  companion,
  needsItsPlace: path =>
    isDocumentPath(path) ? 'the parts of its messages lie in files of their own' : 'a database holds all sessions',
  dependsOn: path => (isDocumentPath(path) ? [] : [`${path}-wal`]),
  open: (file, out, ledger) => new DocumentSink(file, out, ledger),
  readWhole: (file, out, ledger) => {
    if (isDocumentPath(file.path)) return false;
    readDatabase(file, out, ledger);
    return true;
  },
  recordAt: (path, offset, bytes) =>
    isDocumentPath(path) ? JSON.parse(recordAt(path, offset, bytes)) : rowAt(path, offset),
};
