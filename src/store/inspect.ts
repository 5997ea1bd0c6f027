import { PackError, PackReader } from './pack.ts';
import { type Facts, FORMAT, type Searched } from './stored.ts';

/** A pack as `cache status` shows it. */
export interface Inspected {
  /** `other version`: whole, but of another program; it is made again when it is used. */
  readonly state: 'whole' | 'damaged' | 'unreadable' | 'other version';
  readonly contents?: {
    readonly searched: Searched;
    readonly files: number;
    readonly operations: number;
    /** Of the session files it was made from. */
    readonly bytes: number;
  };
}

/** Reads a pack and checks every section of it. */
export function inspect(path: string): Inspected {
  let pack: PackReader | undefined;
  try {
    pack = PackReader.open(path);
    if (!pack) return { state: 'unreadable' };
    const { format, searched, files, rows, bytes } = pack.facts as Facts;
    for (const name of pack.names()) pack.raw(name);
    if (format !== FORMAT) return { state: 'other version' };
    return { state: 'whole', contents: { searched, files, operations: rows, bytes } };
  } catch (error) {
    if (error instanceof PackError) return { state: 'damaged' };
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return { state: 'unreadable' };
  } finally {
    pack?.close();
  }
}
