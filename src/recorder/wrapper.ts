import { isShell, shellText, shellWords } from './command-match.ts';
import { type Deed, processKey } from './events.ts';
import type { Image, ProcessRecord } from './summary.ts';

/** A shell with a text: what an agent puts around a command. */
export const isWrapper = (image: Image): boolean => isShell(image.argv) && shellText(image.argv) !== undefined;

/** Files that shells read by themselves when they begin or end, some of them only as login shells. */
const OWN_FILES =
  /\/(?:\.(?:profile|bash_profile|bash_login|bash_logout|bash_aliases|bashrc|zshenv|zprofile|zshrc|zlogin|zlogout|kshrc)|config\.fish)$/;

const isRead = (deed: Deed): deed is Extract<Deed, { type: 'file.open' }> =>
  deed.type === 'file.open' && deed.access === 'r';

export interface WrappedCall {
  /** In the order written. */
  readonly deeds: readonly Deed[];
  readonly processes: ReadonlyMap<string, ProcessRecord>;
  /** Processes that were started for the call. */
  readonly roots: ReadonlySet<string>;
  /** The command as it was asked for; '' where none was. */
  readonly command: string;
}

/**
 * Tells what an agent's wrapper around a command did from what the command did. The wrapper's are: paths that its text names and
 * the command does not; all that was done, by whomever, before its shell read the last file that the text sources (login files
 * come first, then a snapshot of the person's shell, then the command); and what a shell reads when it begins and ends.
 */
export class Wrapper {
  private readonly call: WrappedCall;
  /** By root: when its shell read the last file that its text sources. */
  private readonly began = new Map<string, number>();

  constructor(call: WrappedCall) {
    this.call = call;
    for (const key of call.roots) {
      const text = this.textOf(key);
      const words = text === undefined ? [] : shellWords(text);
      const sourced = new Set(words.filter((_, at) => words[at - 1] === 'source' || words[at - 1] === '.'));
      if (sourced.size === 0) continue;
      for (const deed of call.deeds)
        if (isRead(deed) && sourced.has(deed.path) && processKey(deed) === key && this.named(deed))
          this.began.set(key, deed.t_ns);
    }
  }

  did(deed: Deed): boolean {
    if (this.call.command === '') return false;
    if (this.named(deed) || this.readByItself(deed)) return true;
    const root = this.began.size === 0 ? undefined : this.rootOf(deed);
    return root !== undefined && deed.t_ns < (this.began.get(root) ?? 0);
  }

  private named(deed: Deed): boolean {
    const text = this.textOf(processKey(deed));
    const path = 'path' in deed ? deed.path : 'to' in deed ? deed.to : '';
    return text !== undefined && path !== '' && text.includes(path) && !this.call.command.includes(path);
  }

  private readByItself(deed: Deed): boolean {
    if (!isRead(deed) || this.textOf(processKey(deed)) === undefined) return false;
    const [name] = OWN_FILES.exec(deed.path) ?? [];
    return name !== undefined && !this.call.command.includes(name.slice(1));
  }

  /** The text of a wrapper. */
  private textOf(root: string): string | undefined {
    const { roots, processes, command } = this.call;
    const image = command !== '' && roots.has(root) ? processes.get(root)?.images[0] : undefined;
    return image && shellText(image.argv);
  }

  private rootOf(deed: Deed): string | undefined {
    const { roots, processes } = this.call;
    for (let key: string | undefined = processKey(deed); key !== undefined; key = processes.get(key)?.parent)
      if (roots.has(key)) return key;
    return undefined;
  }
}
