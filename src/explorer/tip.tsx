import { useLayoutEffect, useRef } from 'preact/hooks';
import { displayText } from '../formats/names.ts';
import { exactly, share } from '../formats/units.ts';
import type { Measure } from '../trace/measures.ts';
import { useApp } from './app-context.tsx';
import type { Flame } from './flame.ts';
import type { Painter } from './painter.tsx';
import { inFull } from './words.ts';

export interface TipAt {
  readonly node: number;
  readonly x: number;
  readonly y: number;
}

const LONGEST = 240;

/** What a box is and how much, beside the pointer and inside the window. */
export function Tip({ at, flame, painter, measure }: { at: TipAt; flame: Flame; painter: Painter; measure: Measure }) {
  const { say, language } = useApp();
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current as HTMLDivElement;
    const { offsetWidth, offsetHeight } = element;
    element.style.left = `${Math.max(4, Math.min(at.x + 14, window.innerWidth - offsetWidth - 6))}px`;
    element.style.top = `${at.y + 18 + offsetHeight > window.innerHeight ? Math.max(4, at.y - offsetHeight - 10) : at.y + 18}px`;
  });
  const { node } = at;
  const total = flame.exactTotal(node);
  const self = flame.exactSelf(node);
  const parent = flame.parent[node] as number;
  const name = painter.name(node);
  return (
    <div class="tip" ref={box} role="tooltip">
      <b dir="auto">{name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name}</b>
      <span>{painter.saidOf(node)}</span>
      <span>{inFull(total, measure, language)}</span>
      {self !== 0n && self !== total && <span>{say('selfOnly', { value: exactly(self, measure.unit) })}</span>}
      {parent !== 0 && (
        <span>
          {say('ofParent', {
            share: share(total, flame.exactTotal(parent)),
            frame: displayText(painter.name(parent)).slice(0, 80),
          })}
        </span>
      )}
    </div>
  );
}
