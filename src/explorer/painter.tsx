import { displayText } from '../formats/names.ts';
import { share, words } from '../formats/units.ts';
import type { Measure } from '../trace/measures.ts';
import { fillsOf, type Ground, PALETTES } from './colours.ts';
import type { Flame } from './flame.ts';

export const ROW = 24;
const FONT = '12px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif';
const INSET = 5;
const SHORTEST_LABEL = 24;
/** Boxes narrower than this share a pixel: of those one is drawn. */
const THINNEST = 0.6;
const BORDERLESS = 3;
/** Names are cut here before they are measured: no screen shows more. */
const LONGEST = 300;

export interface Look {
  /** Part of the whole that fills the width, in units of the measure. */
  readonly left: number;
  readonly right: number;
  /** Pixels that are scrolled away above. */
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly upward: boolean;
  readonly marked: number;
  readonly hovered: number;
  readonly hits: Uint8Array | undefined;
}

/** Draws a flame. Work a frame is bounded by the pixels that are seen, whatever the number of nodes. */
export class Painter {
  readonly flame: Flame;
  private readonly fill: (frame: number) => string;
  private readonly ground: Ground;
  private readonly measure: Measure;
  private readonly rootName: string;
  private readonly names: string[] = [];
  private readonly widths = new Map<string, number>();
  private readonly said: string[] = [];
  /** What the canvas was last told: telling it again costs as much as a box. */
  private style = '';
  private alpha = 1;

  constructor(flame: Flame, measure: Measure, ground: Ground, rootName: string) {
    this.flame = flame;
    this.measure = measure;
    this.ground = ground;
    this.rootName = displayText(rootName);
    this.fill = fillsOf(flame.frames, ground);
  }

  name(node: number): string {
    if (node === 0) return this.rootName;
    const frame = this.flame.frame[node] as number;
    let name = this.names[frame];
    if (name === undefined) {
      const { kind, value } = this.flame.frames[frame] as { kind: string; value: string };
      name = this.names[frame] = displayText(`${kind}:${value}`).slice(0, LONGEST);
    }
    return name;
  }

  /** `3.2 M · 26.1 %` */
  saidOf(node: number): string {
    let said = this.said[node];
    if (said === undefined) {
      const total = this.flame.exactTotal(node);
      said = this.said[node] = `${words(total, this.measure.unit)} · ${share(total, this.flame.exactTotal(0))}`;
    }
    return said;
  }

  paint(ink: CanvasRenderingContext2D, look: Look): void {
    const palette = PALETTES[this.ground];
    const { flame } = this;
    ink.globalAlpha = this.alpha = 1;
    ink.fillStyle = this.style = palette.ground;
    ink.fillRect(0, 0, look.width, look.height);
    ink.font = FONT;
    ink.textBaseline = 'middle';
    ink.direction = 'ltr';
    const levels = flame.levels.length;
    const first = Math.max(0, Math.floor(look.top / ROW));
    const last = Math.min(levels - 1, Math.floor((look.top + look.height) / ROW));
    for (let row = first; row <= last; row++) {
      const level = look.upward ? levels - 1 - row : row;
      this.paintLevel(ink, look, level, row * ROW - look.top);
    }
  }

  private paintLevel(ink: CanvasRenderingContext2D, look: Look, level: number, y: number): void {
    const { flame } = this;
    const nodes = flame.levels[level] as Uint32Array;
    const scale = look.width / (look.right - look.left);
    let at = firstAfter(flame, nodes, 0, look.left);
    while (at < nodes.length) {
      const node = nodes[at] as number;
      const from = flame.start[node] as number;
      if (from >= look.right) return;
      const x = Math.max((from - look.left) * scale, 0);
      const end = Math.min((from + (flame.total[node] as number) - look.left) * scale, look.width);
      if (end - x < THINNEST) {
        this.use(ink, this.fillOf(node, look.hits), look.hits?.[flame.frame[node] as number] === 0 ? 0.42 : 1);
        ink.fillRect(x, y, THINNEST, ROW - 1);
        at = firstAfter(flame, nodes, at + 1, look.left + (Math.floor(x) + 1) / scale);
        continue;
      }
      this.paintBox(ink, look, node, x, y, end - x);
      at++;
    }
  }

  private fillOf(node: number, hits: Uint8Array | undefined): string {
    const palette = PALETTES[this.ground];
    if (node === 0) return palette.root;
    const frame = this.flame.frame[node] as number;
    return hits && hits[frame] === 1 ? palette.hit : this.fill(frame);
  }

  private paintBox(ink: CanvasRenderingContext2D, look: Look, node: number, x: number, y: number, width: number): void {
    const palette = PALETTES[this.ground];
    const hit = look.hits !== undefined && node !== 0 && look.hits[this.flame.frame[node] as number] === 1;
    this.use(ink, this.fillOf(node, look.hits), look.hits && !hit ? 0.42 : 1);
    const gap = width < BORDERLESS ? 0 : 1;
    ink.fillRect(x, y, width - gap, ROW - 1);
    if (node === look.marked || node === look.hovered) {
      this.use(ink, this.style, 1);
      ink.strokeStyle = palette.ink;
      ink.lineWidth = node === look.marked ? 2 : 1;
      ink.strokeRect(x + 1, y + 1, Math.max(width - gap - 2, 1), ROW - 3);
    }
    if (width >= SHORTEST_LABEL) this.paintLabel(ink, node, hit ? palette.hitInk : palette.ink, x, y, width - gap);
  }

  /** The kind stands paler before the value; value and share follow where there is room; nothing leaves its box. */
  private paintLabel(
    ink: CanvasRenderingContext2D,
    node: number,
    colour: string,
    x: number,
    y: number,
    width: number,
  ): void {
    const name = this.name(node);
    const room = width - 2 * INSET;
    const colon = node === 0 ? 0 : name.indexOf(':') + 1;
    const kind = name.slice(0, colon);
    const value = name.slice(colon);
    const middle = y + ROW / 2;
    const base = this.alpha;
    this.use(ink, colour, base);
    const kindWidth = colon === 0 ? 0 : this.width(ink, kind);
    const valueWidth = this.width(ink, value);
    if (kindWidth + valueWidth > room) {
      const cut = cutTo(value, valueWidth, room);
      if (cut !== '') ink.fillText(cut, x + INSET, middle, room);
      return;
    }
    if (colon > 0) {
      this.use(ink, colour, base * 0.7);
      ink.fillText(kind, x + INSET, middle);
      this.use(ink, colour, base);
    }
    ink.fillText(value, x + INSET + kindWidth, middle);
    const used = kindWidth + valueWidth + 10;
    if (used + 40 > room) return;
    const said = this.saidOf(node);
    if (used + this.width(ink, said) > room) return;
    this.use(ink, colour, base * 0.75);
    ink.fillText(said, x + INSET + used, middle);
  }

  private use(ink: CanvasRenderingContext2D, style: string, alpha: number): void {
    if (style !== this.style) ink.fillStyle = this.style = style;
    if (alpha !== this.alpha) ink.globalAlpha = this.alpha = alpha;
  }

  private width(ink: CanvasRenderingContext2D, text: string): number {
    let width = this.widths.get(text);
    if (width === undefined) this.widths.set(text, (width = ink.measureText(text).width));
    return width;
  }

  /** The node at a point of what is seen, or -1. */
  nodeAt(look: Look, x: number, y: number): number {
    const levels = this.flame.levels.length;
    const row = Math.floor((y + look.top) / ROW);
    const nodes = this.flame.levels[look.upward ? levels - 1 - row : row];
    if (!nodes || x < 0 || x >= look.width) return -1;
    const value = look.left + (x / look.width) * (look.right - look.left);
    const at = firstAfter(this.flame, nodes, 0, value);
    const node = nodes[at];
    return node !== undefined && (this.flame.start[node] as number) <= value ? node : -1;
  }
}

/** Position of the first node, from `from` on, that ends behind a value. */
function firstAfter(flame: Flame, nodes: Uint32Array, from: number, value: number): number {
  let low = from;
  let high = nodes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const node = nodes[middle] as number;
    if ((flame.start[node] as number) + (flame.total[node] as number) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** As much of a text as its mean width lets expect to fit, with an ellipsis; whole characters only. */
function cutTo(text: string, width: number, room: number): string {
  if (width <= room) return text;
  const fits = Math.floor((text.length * (room - 10)) / width);
  if (fits < 1) return '';
  const last = text.charCodeAt(fits - 1);
  return `${text.slice(0, last >= 0xd800 && last < 0xdc00 ? fits - 1 : fits).trimEnd()}…`;
}

/** Draws all levels of a flame into a strip: how wide each is, in the colours of its boxes. */
export function paintOverview(
  ink: CanvasRenderingContext2D,
  flame: Flame,
  fills: (frame: number) => string,
  width: number,
  height: number,
): void {
  ink.clearRect(0, 0, width, height);
  const whole = flame.total[0] as number;
  const levels = flame.levels.length;
  const step = Math.max(height / levels, 1);
  for (let y = 0; y < height; y += step) {
    const nodes = flame.levels[Math.min(Math.floor((y / height) * levels), levels - 1)] as Uint32Array;
    const stride = Math.max(1, Math.floor(nodes.length / (width * 2)));
    for (let at = 0; at < nodes.length; at += stride) {
      const node = nodes[at] as number;
      ink.fillStyle = node === 0 ? '#8a94a3' : fills(flame.frame[node] as number);
      const x = ((flame.start[node] as number) / whole) * width;
      ink.fillRect(x, y, Math.max(((flame.total[node] as number) / whole) * width, 0.5), step);
    }
  }
}
