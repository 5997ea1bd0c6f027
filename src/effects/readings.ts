import { type loadShellParser, readPowerShell, readShell, type ShellParser, type ShellReading } from './shell.ts';

/** Distinct command lines kept at hand; a history beyond that reads some of them twice. */
const REMEMBERED = 20_000;

/** Readings of command lines, each text read once. The tree parser is loaded only when the lexer refuses a text. */
export class Readings {
  /** Texts read, those that the lexer took alone, and those not understood whole. */
  commands = 0;
  lexed = 0;
  partial = 0;
  private readonly byText = new Map<string, ShellReading>();
  private readonly loadParser: typeof loadShellParser;
  private parser: ShellParser | undefined;
  private loaded = false;

  constructor(loadParser: typeof loadShellParser) {
    this.loadParser = loadParser;
  }

  /** Makes `get` possible for a text. */
  async prepare(text: string, powerShell: boolean): Promise<void> {
    if (this.get(text, powerShell) || this.loaded) return;
    this.parser = await this.loadParser();
    this.loaded = true;
  }

  /** The reading of a text; undefined if the tree parser must be loaded first (`prepare`). */
  get(text: string, powerShell: boolean): ShellReading | undefined {
    const key = powerShell ? `ps:${text}` : text;
    const known = this.byText.get(key);
    if (known) return known;
    const { reading, wantsParser } = powerShell
      ? { reading: readPowerShell(text), wantsParser: false }
      : readShell(text);
    let whole = reading;
    if (wantsParser) {
      if (!this.loaded) return undefined;
      if (this.parser) whole = readShell(text, this.parser).reading;
    } else this.lexed++;
    this.commands++;
    if (whole.partial) this.partial++;
    if (this.byText.size >= REMEMBERED) this.byText.clear();
    this.byText.set(key, whole);
    return whole;
  }
}
