import type { Contact, Deed } from './events.ts';
import { processKey } from './events.ts';

interface Asked {
  readonly t_ns: number;
  readonly process: string;
  readonly name: string;
}

/** Names of addresses, as they were asked for or said in a recording. */
export class Names {
  private readonly byAddress = new Map<string, Asked[]>();

  constructor(deeds: readonly Deed[]) {
    for (const deed of deeds) {
      if (deed.type !== 'net.name') continue;
      for (const address of deed.addr) {
        const asked = { t_ns: deed.t_ns, process: processKey(deed), name: deed.name };
        const known = this.byAddress.get(address);
        if (known) known.push(asked);
        else this.byAddress.set(address, [asked]);
      }
    }
  }

  /** The name that the address of a connection last had for that process, else for any; before, or just when it was said. */
  of(deed: Contact): string | undefined {
    const known = this.byAddress.get(deed.addr) ?? [];
    const own = known.filter(({ process }) => process === processKey(deed));
    const before = (list: readonly Asked[]) => list.findLast(({ t_ns }) => t_ns <= deed.t_ns);
    return (before(own) ?? own[0] ?? before(known))?.name;
  }
}
