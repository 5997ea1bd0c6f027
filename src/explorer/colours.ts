import { fillOf, kindClass, kindSwatch } from '../formats/svg-style.ts';
import type { Frame } from '../profile/profile.ts';
import type { Span } from '../profile/timelines.ts';

export type Ground = 'light' | 'dark';

/** What the canvas is drawn with, the colours of the SVG's style sheet. */
export interface Palette {
  readonly ground: string;
  readonly ink: string;
  readonly quiet: string;
  readonly hit: string;
  readonly hitInk: string;
  readonly root: string;
  /** What is none of the named series. */
  readonly rest: string;
}

export const PALETTES: Readonly<Record<Ground, Palette>> = {
  light: {
    ground: '#ffffff',
    ink: '#1f2328',
    quiet: '#59636e',
    hit: '#ffb224',
    hitInk: '#1f2328',
    root: fillOf(kindClass('all', ''), 'light'),
    rest: '#c3c9d1',
  },
  dark: {
    ground: '#15181d',
    ink: '#e8ecf1',
    quiet: '#9aa4b0',
    hit: '#ffb224',
    hitInk: '#1f2328',
    root: fillOf(kindClass('all', ''), 'dark'),
    rest: '#4a525c',
  },
};

/** The fill of every frame. */
export function fillsOf(frames: readonly Frame[], ground: Ground): (frame: number) => string {
  const known: string[] = [];
  const byClass = new Map<string, string>();
  return frame => {
    let fill = known[frame];
    if (fill === undefined) {
      const { kind, value } = frames[frame] as Frame;
      const name = kindClass(kind, value);
      fill = byClass.get(name);
      if (fill === undefined) byClass.set(name, (fill = fillOf(name, ground)));
      known[frame] = fill;
    }
    return fill;
  };
}

/** The fill of a span: by what it is, and red where it failed. */
export function spanFill({ kind, name, status }: Span, ground: Ground): string {
  if (status === 'error') return fillOf(kindSwatch('error'), ground);
  return fillOf(kindClass(kind === 'turn' ? 'prompt' : kind, name), ground);
}

/** The colour that stands for a kind. */
export function swatchOf(kind: string, ground: Ground): string {
  return fillOf(kindSwatch(kind), ground);
}
