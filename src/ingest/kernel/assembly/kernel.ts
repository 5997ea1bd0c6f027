// The kernel: shrinks JSON lines in place of the plain scanner (../../scan.ts), with the same states and the same
// results, sixteen bytes at a step. It knows no agent: which keys are wanted comes as a compiled rule.
//
// Memory: `input` (headroom, then the bytes of a feed, then room for a block behind the newline that is put after
// them), the rule, and behind them the output. The host makes room in the output for all that a feed can leave.

import { backslashesOf, endsOf, escapesOf, lettersOf } from './blocks';
import {
  BACKSLASH,
  CARRIAGE,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  continues,
  isDigit,
  MINUS,
  NEWLINE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
  specials,
  ZERO,
} from './bytes';
import { keepEnd, shorten } from './ends';
import { BAD, escapeAt, TORN, unescapeTo } from './escapes';
import { mayEnd, nextState, START } from './numbers';
import { childOf, cutOf, DROP, rootNode, setRules, tailOf } from './rules';
import { endOfText, newlineFrom, skipSpace, tornWord, wordLength } from './text';

// The constants of ../../scanner.ts.
const MAX_DEPTH: u32 = 1000;
const MAX_ROWS: i32 = 4096;
const HEADROOM: usize = 64;
const GOOD: u32 = 1;
const WIDE: u32 = 2;
const BLANK: u32 = 4;
const CARRIAGED: u32 = 8;

// What is expected next, in the order in which a member of an object is read: each falls into the next.
const AFTER = 0;
const KEY = 1;
const FIRST_KEY = 2;
const AFTER_KEY = 3;
const FIRST_ELEMENT = 4;
const VALUE = 5;
const KEPT_KEY = 6;
const DROPPED_KEY = 7;
const KEPT_TEXT = 8;
const DROPPED_TEXT = 9;
const NUMBER = 10;
const WORD = 11;
const BAD_LINE = 12;

const rows: usize = memory.data(4096 * 16, 16);
/** The containers around: opening byte, node. */
const containers: usize = memory.data(1000 * 8, 8);

let inputAt: usize = 0;
let outputAt: usize = 0;
// Between feeds the machine rests here; see the fields of PlainScanner.
let restAt: usize = 0;
let restEnd: usize = 0;
let restOut: usize = 0;
let lineOut: usize = 0;
let restState: i32 = VALUE;
let restNode: usize = 0;
let restContainer: u32 = 0;
let restContainerNode: usize = 0;
let restDepth: u32 = 0;
let restWide: u32 = 0;
let restLeft: usize = 0;
/** Where the text that is written begins of which only the end is kept, or 0; and what its beginning did not use. */
let tailAt: usize = 0;
let spare: usize = 0;
let digitState: u32 = START;
let keyOut: usize = 0;
let keyEscaped: bool = false;
let rowCount: i32 = 0;
/** The bytes are one document, not lines: newlines are white space. */
let document: bool = false;
/** Bytes that may be left of a line. */
let most: usize = 0;

export function rowsAt(): usize {
  return rows;
}

/** The first address that is the host's to use. */
export function freeAt(): usize {
  return __heap_base;
}

export function begin(input: usize, words: usize, keys: usize, output: usize, mostLeft: usize, asDocument: bool): void {
  document = asDocument;
  most = mostLeft;
  inputAt = input;
  outputAt = output;
  setRules(words, keys);
  memory.fill(input - HEADROOM, 0, HEADROOM);
  restAt = restEnd = input;
  restOut = lineOut = output;
  restState = VALUE;
  restDepth = 0;
  restContainer = 0;
  restNode = restContainerNode = rootNode();
  restWide = 0;
}

/** Bytes of output that belong to a line whose end was not seen; they lie before what the next feed leaves. */
export function unfinished(): usize {
  return restOut - lineOut;
}

export function feed(length: usize): i32 {
  restAt = inputAt - (restEnd - restAt);
  restEnd = inputAt + length;
  store<u8>(restEnd, NEWLINE);
  const moved = lineOut - outputAt;
  if (moved > 0) {
    memory.copy(outputAt, lineOut, restOut - lineOut);
    keyOut -= moved;
    if (tailAt != 0) tailAt -= moved;
    restOut -= moved;
    lineOut = outputAt;
  }
  if (restOut - lineOut > most) {
    restOut = lineOut;
    restState = BAD_LINE;
  }
  return run();
}

/** The bytes are at their end: one row for what is behind the last newline. */
export function finish(): void {
  document = false;
  store<u8>(inputAt, NEWLINE);
  feed(1);
}

export function more(): i32 {
  return rowCount < MAX_ROWS ? 0 : run();
}

// One function, because what is a local here lives in a register; the rare and the long-running is in the other files.
function run(): i32 {
  const end = restEnd;
  let at = restAt;
  let out = restOut;
  let state = restState;
  let node = restNode;
  let container = restContainer;
  let containerNode = restContainerNode;
  let depth = restDepth;
  let wide = restWide;
  let left = restLeft;
  let row: usize = rows;
  let usedUp = false;

  // Each state either uses up bytes, sets the next state and goes on; or finds the bytes used up; or breaks out of the
  // switch at a newline that ends the line.
  while (row != rows + MAX_ROWS * 16) {
    let flags: u32 = 0;
    switch (state) {
      case AFTER: {
        let byte: u32 = load<u8>(at);
        if (byte <= SPACE) {
          at = skipSpace(at, end, document);
          byte = load<u8>(at);
        }
        if (depth == 0) {
          if (byte != NEWLINE) {
            state = BAD_LINE;
            continue;
          }
          usedUp = at == end;
          flags = GOOD;
          break;
        } else if (byte == COMMA) {
          at++;
          if (container == OPEN_ARRAY) {
            node = containerNode;
            if (node != DROP) store<u8>(out++, COMMA);
            state = VALUE;
            continue;
          }
          state = KEY;
        } else if (byte == container + 2) {
          at++;
          if (containerNode != DROP) store<u8>(out++, byte);
          depth--;
          container = load<u32>(containers + (depth << 3));
          containerNode = load<u32>(containers + (depth << 3), 4);
          continue;
        } else if (byte == NEWLINE && at == end) {
          usedUp = true;
          break;
        } else {
          state = BAD_LINE;
          continue;
        }
      }
      // A comma of an object goes on to
      case KEY:
      case FIRST_KEY: {
        let byte: u32 = load<u8>(at);
        if (byte <= SPACE) {
          at = skipSpace(at, end, document);
          byte = load<u8>(at);
        }
        if (byte != QUOTE) {
          if (byte == NEWLINE && at == end) {
            usedUp = true;
            break;
          }
          state = byte == CLOSE_OBJECT && state == FIRST_KEY ? AFTER : BAD_LINE;
          continue;
        }
        at++;
        if (containerNode == DROP) {
          node = DROP;
          state = DROPPED_KEY;
          continue;
        }
        // A key without escapes that is here to its end need not be copied to be compared.
        let stop = at;
        let mask = specials(v128.load(stop));
        while (mask == 0) {
          stop += 16;
          mask = specials(v128.load(stop));
        }
        stop += ctz(mask);
        if (load<u8>(stop) != QUOTE) {
          keyOut = out;
          if (load<u8>(out - 1) != OPEN_OBJECT) store<u8>(out++, COMMA);
          store<u8>(out++, QUOTE);
          keyEscaped = false;
          state = KEPT_KEY;
          continue;
        }
        node = childOf(containerNode, at, stop);
        if (node != DROP) {
          if (load<u8>(out - 1) != OPEN_OBJECT) store<u8>(out++, COMMA);
          store<u8>(out++, QUOTE);
          for (; at < stop; at += 16, out += 16) {
            const block = v128.load(at);
            v128.store(out, block);
            const ahead = stop - at;
            wide |= i8x16.bitmask(block) & (ahead >= 16 ? 0xffff : (1 << <u32>ahead) - 1);
          }
          out -= at - stop;
          store<u8>(out++, QUOTE);
          store<u8>(out++, COLON);
        }
        at = stop + 1;
        state = AFTER_KEY;
      }
      // which goes on to
      case AFTER_KEY: {
        let byte: u32 = load<u8>(at);
        if (byte <= SPACE) {
          at = skipSpace(at, end, document);
          byte = load<u8>(at);
        }
        if (byte != COLON) {
          if (byte == NEWLINE && at == end) {
            usedUp = true;
            break;
          }
          state = BAD_LINE;
          continue;
        }
        at++;
        state = VALUE;
      }
      // which goes on to
      case FIRST_ELEMENT:
      case VALUE: {
        let byte: u32 = load<u8>(at);
        if (byte <= SPACE) {
          at = skipSpace(at, end, document);
          byte = load<u8>(at);
        }
        if (byte == QUOTE) {
          at++;
          if (node == DROP) {
            state = DROPPED_TEXT;
            continue;
          }
          store<u8>(out++, QUOTE);
          left = cutOf(node);
          tailAt = 0;
          state = KEPT_TEXT;
          continue;
        }
        if (byte == OPEN_OBJECT || byte == OPEN_ARRAY) {
          if (depth == MAX_DEPTH) {
            state = BAD_LINE;
            continue;
          }
          store<u32>(containers + (depth << 3), container);
          store<u32>(containers + (depth << 3), <u32>containerNode, 4);
          depth++;
          container = byte;
          containerNode = node;
          at++;
          if (node != DROP) store<u8>(out++, byte);
          state = byte == OPEN_OBJECT ? FIRST_KEY : FIRST_ELEMENT;
          continue;
        }
        if (isDigit(byte) || byte == MINUS) {
          // Nearly all numbers are short integers with their end in sight.
          const digits = byte == MINUS ? at + 1 : at;
          let stop = digits;
          while (isDigit(load<u8>(stop))) stop++;
          const next: u32 = load<u8>(stop);
          const length = stop - at;
          if (
            length <= 16 &&
            (next == COMMA || next == CLOSE_OBJECT || next == CLOSE_ARRAY) &&
            (load<u8>(digits) == ZERO ? stop - digits == 1 : stop > digits)
          ) {
            if (node != DROP) {
              v128.store(out, v128.load(at));
              out += length;
            }
            at = stop;
            state = AFTER;
            continue;
          }
          digitState = START;
          state = NUMBER;
          continue;
        }
        if (byte == 0x74 || byte == 0x66 || byte == 0x6e) {
          state = WORD;
          continue;
        }
        if (byte == NEWLINE) {
          usedUp = at == end;
          flags = depth == 0 ? BLANK : 0;
          break;
        }
        state = byte == CLOSE_ARRAY && state == FIRST_ELEMENT ? AFTER : BAD_LINE;
        continue;
      }
      case KEPT_KEY: {
        let mask: u32 = 0;
        do {
          const block = v128.load(at);
          v128.store(out, block);
          mask = specials(block);
          const plain: u32 = mask == 0 ? 16 : ctz(mask);
          wide |= i8x16.bitmask(block) & ((1 << plain) - 1);
          at += plain;
          out += plain;
        } while (mask == 0);
        const byte: u32 = load<u8>(at);
        if (byte == BACKSLASH) {
          const escape = escapeAt(at, end);
          if (escape == TORN) {
            usedUp = true;
            break;
          }
          if (escape == BAD) {
            state = BAD_LINE;
            continue;
          }
          keyEscaped = true;
          v128.store(out, v128.load(at));
          at += escape & 15;
          out += escape & 15;
          continue;
        }
        if (byte != QUOTE) {
          if (at == end) {
            usedUp = true;
            break;
          }
          state = BAD_LINE;
          continue;
        }
        at++;
        const from = keyOut + (load<u8>(keyOut) == COMMA ? 2 : 1);
        if (keyEscaped) {
          // Unescaped behind the key: it is never longer than what it was written as.
          node = childOf(containerNode, out, unescapeTo(from, out, out));
        } else node = childOf(containerNode, from, out);
        if (node == DROP) out = keyOut;
        else {
          store<u8>(out++, QUOTE);
          store<u8>(out++, COLON);
        }
        state = AFTER_KEY;
        continue;
      }
      case KEPT_TEXT: {
        let mask: u32 = 0;
        do {
          const block = v128.load(at);
          v128.store(out, block);
          mask = specials(block);
          let plain: usize = mask == 0 ? 16 : ctz(mask);
          if (plain > left) plain = left;
          wide |= i8x16.bitmask(block) & ((1 << <u32>plain) - 1);
          at += plain;
          out += plain;
          left -= plain;
          // Long texts go by larger blocks, as long as all of one is kept and only simple escapes are in it.
          while (mask == 0 && left >= 64) {
            const a = v128.load(at);
            const b = v128.load(at, 16);
            const c = v128.load(at, 32);
            const d = v128.load(at, 48);
            let stops = endsOf(a, b, c, d);
            let escapes: u64 = 0;
            const backslashes = backslashesOf(a, b, c, d);
            if (backslashes != 0) {
              const code = escapesOf(backslashes);
              const escaped = code ^ backslashes;
              escapes = code & backslashes;
              stops = (stops & ~escaped) | (escaped & ~lettersOf(a, b, c, d));
            }
            if (stops != 0) break;
            v128.store(out, a);
            v128.store(out, b, 16);
            v128.store(out, c, 32);
            v128.store(out, d, 48);
            wide |= i8x16.bitmask(v128.or(v128.or(a, b), v128.or(c, d)));
            // A backslash at the end waits for its letter.
            const length = 64 - <usize>(escapes >> 63);
            at += length;
            out += length;
            // A simple escape has two bytes and stands for one.
            left -= length - <usize>popcnt(escapes << 1 >> 1);
          }
        } while (mask == 0 && left != 0);
        const byte: u32 = load<u8>(at);
        if (byte == QUOTE) {
          at++;
          if (tailAt != 0) out = keepEnd(tailAt, out, tailOf(node), spare);
          store<u8>(out++, QUOTE);
          state = AFTER;
          continue;
        }
        let inside = false;
        if (byte == BACKSLASH) {
          const escape = escapeAt(at, end);
          if (escape >> 4 <= <i32>left) {
            if (escape == TORN) {
              usedUp = true;
              break;
            }
            if (escape == BAD) {
              state = BAD_LINE;
              continue;
            }
            v128.store(out, v128.load(at));
            at += escape & 15;
            out += escape & 15;
            left -= escape >> 4;
            continue;
          }
        } else if (byte < SPACE) {
          if (at == end) {
            usedUp = true;
            break;
          }
          state = BAD_LINE;
          continue;
        } else inside = continues(byte);
        let begins = out;
        if (inside) {
          // The limit fell inside a character: drops the part of it that was copied.
          for (let i = 0; i < 3 && continues(load<u8>(begins - 1)); i++) begins--;
          if (load<u8>(begins - 1) >= 0xc0) begins--;
        }
        if (tailOf(node) != 0) {
          if (tailAt == 0) {
            tailAt = begins;
            spare = left + out - begins;
          }
          left = 0x7fffffff;
          continue;
        }
        out = begins;
        store<u8>(out++, QUOTE);
        state = DROPPED_TEXT;
        continue;
      }
      case DROPPED_KEY:
      case DROPPED_TEXT: {
        at = endOfText(at, end);
        if (load<u8>(at) == QUOTE) {
          at++;
          state = state == DROPPED_KEY ? AFTER_KEY : AFTER;
          continue;
        }
        if (at == end || (load<u8>(at) == BACKSLASH && escapeAt(at, end) == TORN)) {
          usedUp = true;
          break;
        }
        state = BAD_LINE;
        continue;
      }
      case NUMBER: {
        for (;;) {
          const byte: u32 = load<u8>(at);
          const next = nextState(digitState, byte);
          if (next == 0) break;
          digitState = next;
          if (node != DROP) store<u8>(out++, byte);
          at++;
        }
        if (at == end) {
          usedUp = true;
          break;
        }
        state = mayEnd(digitState) ? AFTER : BAD_LINE;
        continue;
      }
      case WORD: {
        const length = wordLength(at);
        if (length == 0) {
          state = BAD_LINE;
          // The newline behind the bytes stands where the word would go on.
          usedUp = tornWord(at, end);
          if (!usedUp) continue;
          state = WORD;
          break;
        }
        if (node != DROP) {
          v128.store(out, v128.load(at));
          out += length;
        }
        at += length;
        state = AFTER;
        continue;
      }
      default: {
        out = lineOut;
        at = document ? end : newlineFrom(at);
        usedUp = at == end;
      }
    }
    if (usedUp) break;

    if (flags == GOOD && out - lineOut > most) flags = 0;
    if (flags != GOOD) out = lineOut;
    if (wide != 0) flags |= WIDE;
    if (load<u8>(at - 1) == CARRIAGE) flags |= CARRIAGED;
    store<i32>(row, <i32>(at - inputAt));
    store<u32>(row, <u32>lineOut, 4);
    store<u32>(row, <u32>out, 8);
    store<u32>(row, flags, 12);
    row += 16;
    at++;
    lineOut = out;
    wide = 0;
    depth = 0;
    container = 0;
    node = containerNode = rootNode();
    state = VALUE;
  }

  // Bytes not understood yet, and the one before them, are kept for the next feed.
  if (usedUp) {
    memory.copy(inputAt - HEADROOM, end - HEADROOM, HEADROOM);
    if (state == KEPT_TEXT && tailAt != 0) out = shorten(tailAt, out, tailOf(node));
  }
  restAt = at;
  restOut = out;
  restState = state;
  restNode = node;
  restContainer = container;
  restContainerNode = containerNode;
  restDepth = depth;
  restWide = wide;
  restLeft = left;
  rowCount = <i32>((row - rows) >> 4);
  return rowCount;
}
