import { hash } from 'node:crypto';
import type { DecidedBy, Decision } from './decision.ts';
import { machineKind } from './intent.ts';
import type { Tagger } from './tagger.ts';
import { type Turn, turnOf } from './turn.ts';

/** What a text says by itself as a prompt, wherever it stands; `first` turns are told by their place. */
export interface Said extends Decision {
  /** The kind of machine that wrote it, '' for a person. The other fields are of texts of people. */
  readonly machine: string;
  readonly turn: Turn;
}

/** What a tagger said of texts, as JSON: hashes of them, and which of the distinct answers each has. */
export interface Told {
  readonly hashes: string;
  readonly answers: readonly number[];
  readonly distinct: readonly (readonly [machine: string, tag: string, by: DecidedBy, turn: Turn])[];
}

/** 96 bits in base64. */
const DIGITS = 16;

/**
 * Asks a tagger about each text once, and not at all about texts that an equal tagger was asked about in an earlier run.
 * That is right because what is said of a text depends on the text and the rules alone.
 */
export class Decided {
  private readonly tagger: Tagger;
  private readonly known = new Map<string, Said>();
  private readonly asked = new Map<string, Said>();
  private room = Buffer.allocUnsafe(1 << 13);
  private readonly interned = new Map<string, Said>();

  /** `before` is what a tagger of the same key told. */
  constructor(tagger: Tagger, before?: Told) {
    this.tagger = tagger;
    if (!before) return;
    const distinct = before.distinct.map(answer => this.intern(...answer));
    before.answers.forEach((answer, at) => {
      this.known.set(before.hashes.slice(at * DIGITS, (at + 1) * DIGITS), distinct[answer] as Said);
    });
  }

  of(text: string): Said {
    const key = this.hashed(text);
    let said = this.asked.get(key);
    if (said) return said;
    said = this.known.get(key) ?? this.ask(text);
    this.asked.set(key, said);
    return said;
  }

  private hashed(text: string): string {
    // Not as UTF-8, which has one form for all halves of torn characters.
    if (this.room.length < 2 * text.length) this.room = Buffer.allocUnsafe(3 * text.length);
    const bytes = this.room.subarray(0, this.room.write(text, 'utf16le'));
    return hash('sha256', bytes, 'base64').slice(0, DIGITS);
  }

  private ask(text: string): Said {
    const machine = machineKind(text);
    if (machine !== '') return this.intern(machine, '', '', '');
    const { tag, by } = this.tagger.decide('prompt', text);
    return this.intern('', tag, by, turnOf(text, false));
  }

  private intern(machine: string, tag: string, by: DecidedBy, turn: Turn): Said {
    const name = JSON.stringify([machine, tag, by, turn]);
    let said = this.interned.get(name);
    if (!said) this.interned.set(name, (said = { machine, tag, by, turn }));
    return said;
  }

  /** What was asked for in this run; with `all`, also what was known before. */
  told(all: boolean): Told {
    const texts = all ? new Map([...this.known, ...this.asked]) : this.asked;
    const numbers = new Map([...this.interned.values()].map((said, at) => [said, at]));
    return {
      hashes: [...texts.keys()].join(''),
      answers: Array.from(texts.values(), said => numbers.get(said) as number),
      distinct: Array.from(numbers.keys(), ({ machine, tag, by, turn }) => [machine, tag, by, turn] as const),
    };
  }
}
