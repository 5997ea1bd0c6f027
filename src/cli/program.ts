import { Command, Help, Option } from 'commander';

/** Arguments that are answered by the program itself, before any command is looked at. */
const OWN: ReadonlySet<string> = new Set(['-h', '--help', '-V', '--version']);

/** How help is written, of both programs. That a list or a text is empty unless something is given is no news. */
export const HELP = {
  sortSubcommands: false,
  showGlobalOptions: false,
  optionDescription: (option: Option): string =>
    Help.prototype.optionDescription.call(new Help(), option).replace(/ \(default: (?:\[\]|"")\)/, ''),
};

/**
 * The program as far as its arguments need it. All commands together have some hundreds of options, and to declare them takes
 * longer than most of what the program does before it works. So a command whose name is not among the arguments is
 * only mentioned: it stands in the help and in suggestions as if it were declared, and cannot be run.
 */
export class Program extends Command {
  readonly #argv: readonly string[];
  readonly #usual: string;

  /** `usual`: the command that is run when none is named. */
  constructor(name: string, usual: string, argv: readonly string[]) {
    super(name);
    this.#usual = usual;
    this.#argv = argv;
  }

  override createCommand(name: string): Command {
    return this.#needs(name) ? new Command(name) : new Mentioned(name);
  }

  /** A word that happens to be a command's name (`--agent export`) only means that one more is declared. */
  #needs(name: string): boolean {
    if (this.#argv.includes(name)) return true;
    return name === this.#usual && !OWN.has(this.#argv[0] ?? '');
  }
}

const SOME = new Option('--some');

/** Keeps its name, its description, its arguments and whether it has options: what the help of the program says of it. */
class Mentioned extends Command {
  override option(): this {
    if (this.options.length === 0) (this.options as Option[]).push(SOME);
    return this;
  }

  override requiredOption(): this {
    return this.option();
  }

  override addHelpText(): this {
    return this;
  }

  override action(): this {
    return this;
  }

  override createCommand(name: string): Command {
    return new Mentioned(name);
  }
}
