import { type Cells, NumberColumn } from '../trace/columns.ts';
import type { Links } from '../trace/link.ts';
import type { Times } from '../trace/time.ts';
import { elsewhere } from './columns.ts';
import type { PackReader, PackWriter } from './pack.ts';

const BY_ROW = ['turn', 'prompt', 'call', 'tool'] as const;
const BY_SESSION = ['spawn', 'root', 'depth'] as const;

type LinkArray = (typeof BY_ROW)[number] | (typeof BY_SESSION)[number];

/** Links and times to sections of a pack and back. */
export function saveLinks(pack: PackWriter, links: Links, times: Times, rows: number): void {
  for (const name of [...BY_ROW, ...BY_SESSION]) pack.cells(`links/${name}`, links[name]);
  pack.json('links/orphans', links.orphans);
  pack.cells('times/time', times.time.glance().subarray(0, rows));
  pack.cells('times/idle', times.idle);
}

export function loadLinks(pack: PackReader): Links {
  return new StoredLinks(pack);
}

export function loadTimes(pack: PackReader): Times {
  return {
    time: NumberColumn.stored(elsewhere(pack, 'times/time')),
    get idle() {
      return pack.cells('times/idle') as Float64Array;
    },
  };
}

/** Each array is fetched when it is first asked for. */
class StoredLinks implements Links {
  private readonly pack: PackReader;
  private readonly fetched: Partial<Record<LinkArray, Cells>> = {};

  constructor(pack: PackReader) {
    this.pack = pack;
  }

  get turn(): Uint32Array {
    return this.array('turn') as Uint32Array;
  }

  get prompt(): Uint32Array {
    return this.array('prompt') as Uint32Array;
  }

  get call(): Uint32Array {
    return this.array('call') as Uint32Array;
  }

  get tool(): Uint32Array {
    return this.array('tool') as Uint32Array;
  }

  get spawn(): Uint32Array {
    return this.array('spawn') as Uint32Array;
  }

  get root(): Uint32Array {
    return this.array('root') as Uint32Array;
  }

  get depth(): Uint8Array {
    return this.array('depth') as Uint8Array;
  }

  get orphans(): number {
    return this.pack.json('links/orphans') as number;
  }

  private array(name: LinkArray): Cells {
    return (this.fetched[name] ??= this.pack.cells(`links/${name}`));
  }
}
