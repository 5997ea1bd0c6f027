import { useRef } from 'preact/hooks';
import { useApp } from './app-context.tsx';
import { csvOf, foldedOf, profileOfFlame, svgOf } from './exports.ts';
import type { Flame } from './flame.ts';
import { Painter, ROW } from './painter.tsx';
import { save } from './save.tsx';

const KINDS = ['svg', 'png', 'folded', 'csv'] as const;
const PNG_WIDTH = 1400;
const PNG_MOST_LEVELS = 200;

/** Saves what is seen: as a picture, for other tools, for a spreadsheet. */
export function ExportMenu({ flame, zoomed }: { flame: Flame; zoomed: number }) {
  const { facts, state, measure, say, ground, announce } = useApp();
  const menu = useRef<HTMLDetailsElement>(null);
  const give = async (kind: (typeof KINDS)[number]) => {
    menu.current?.removeAttribute('open');
    const profile = profileOfFlame(flame, zoomed, measure, facts.view, facts.comments);
    const blob =
      kind === 'png'
        ? await picture()
        : new Blob(
            [
              kind === 'svg'
                ? svgOf(profile, facts.subtitle)
                : kind === 'folded'
                  ? foldedOf(profile)
                  : csvOf(flame, zoomed, measure),
            ],
            { type: 'application/octet-stream' },
          );
    if (!blob) return;
    const name = `agentpprof-${measure.name}.${kind}`;
    save(name, blob);
    announce(say('saved', { what: name }));
  };
  const picture = (): Promise<Blob | null> => {
    const height = Math.min(flame.levels.length, PNG_MOST_LEVELS) * ROW;
    const canvas = document.createElement('canvas');
    canvas.width = PNG_WIDTH * 2;
    canvas.height = height * 2;
    const ink = canvas.getContext('2d');
    if (!ink) return Promise.resolve(null);
    ink.scale(2, 2);
    const left = flame.start[zoomed] as number;
    const look = {
      left,
      right: left + (flame.total[zoomed] as number),
      top: 0,
      width: PNG_WIDTH,
      height,
      upward: state.upward,
      marked: -1,
      hovered: -1,
      hits: undefined,
    };
    new Painter(flame, measure, ground, say('all')).paint(ink, look);
    return new Promise(resolve => canvas.toBlob(resolve, 'image/png'));
  };
  return (
    <details class="menu" id="export" ref={menu}>
      <summary>{say('exports')}</summary>
      <div class="list">
        {KINDS.map(kind => (
          <button key={kind} type="button" data-export={kind} onClick={() => void give(kind)}>
            {kind === 'folded' ? kind : kind.toUpperCase()}
          </button>
        ))}
      </div>
    </details>
  );
}
