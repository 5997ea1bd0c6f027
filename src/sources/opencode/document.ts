import type { Operations } from '../../trace/operations.ts';
import type { FileLedger } from '../ledger.ts';
import type { RecordSink, SourceFile } from '../reader.ts';
import { Scribe } from '../scribe.ts';
import { isObject, listOf, type Obj, objectOf, textOf } from '../shapes.ts';
import { AGENT } from './agent.ts';
import { Chronicle, factsOf, partsOf } from './chronicle.ts';
import { folderOf, storageOf } from './paths.ts';
import { Storage } from './storage.ts';

/** Reads a message of the JSON storage with what belongs to it, or an export. */
export class DocumentSink implements RecordSink {
  private readonly scribe: Scribe;
  private readonly file: SourceFile;
  private readonly chronicle: Chronicle;

  constructor(file: SourceFile, out: Operations, ledger: FileLedger) {
    this.file = file;
    this.scribe = new Scribe(AGENT, file, out, ledger);
    this.chronicle = new Chronicle(this.scribe);
  }

  record(value: unknown, offset: number, bytes: number): void {
    const { scribe, chronicle } = this;
    if (!isObject(value)) {
      scribe.ledger.badLines++;
      return;
    }
    scribe.offset = offset;
    scribe.bytes = bytes;
    if (!Array.isArray(value.messages)) {
      this.stored(value);
      return;
    }
    const session = factsOf(objectOf(value.info));
    for (const each of listOf(value.messages)) {
      const { info, parts } = objectOf(each);
      const said = objectOf(info);
      const id = textOf(said.sessionID) || session.id || folderOf(this.file.path);
      const strand = chronicle.session(id === session.id ? session : factsOf({}, id));
      chronicle.message(strand, said, partsOf(parts));
    }
  }

  private stored(message: Obj): void {
    const { scribe, chronicle, file } = this;
    const id = textOf(message.sessionID) || folderOf(file.path);
    const root = storageOf(file.path);
    const storage = root === '' ? undefined : Storage.of(scribe.out, root);
    const strand = chronicle.session(factsOf(storage?.session(id) ?? {}, id));
    chronicle.message(strand, message, storage?.parts(textOf(message.id)) ?? []);
  }

  /** A document has no later part. */
  end(): undefined {}
}
