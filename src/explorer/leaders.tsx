import { useMemo } from 'preact/hooks';
import { displayText } from '../formats/names.ts';
import { share, words } from '../formats/units.ts';
import { useApp } from './app-context.tsx';
import { swatchOf } from './colours.ts';
import type { Flame } from './flame.ts';
import { type Rank, ranksOf } from './ranks.ts';

const LISTS = 5;
const LONGEST = 6;

/** The widest frames of each kind in the stack below the zoomed frame: what a glance at the boxes would say. */
export function Leaders({ flame, zoomed }: { flame: Flame; zoomed: number }) {
  const { measure, state, change, say, ground } = useApp();
  const lists = useMemo(() => {
    const byKind = new Map<string, Rank[]>(state.stack.map(kind => [kind, []]));
    for (const rank of ranksOf(flame, zoomed)) byKind.get(flame.frames[rank.frame]?.kind ?? '')?.push(rank);
    // A kind with one frame alone says nothing.
    return [...byKind].filter(([, ranks]) => ranks.length > 1).slice(0, LISTS);
  }, [flame, zoomed, state.stack]);
  const whole = flame.exactTotal(zoomed);
  return (
    <section class="leaders" aria-label={say('leaders')}>
      {lists.map(([kind, ranks]) => (
        <div key={kind}>
          <h3>
            <s style={{ background: swatchOf(kind, ground) }} />
            {displayText(kind)}
            <small>{ranks.length > LONGEST ? say('topOf', { n: LONGEST, all: ranks.length }) : ''}</small>
          </h3>
          <ol>
            {ranks.slice(0, LONGEST).map(({ frame, total }) => {
              const { value } = flame.frames[frame] as { value: string };
              return (
                <li key={frame}>
                  <b
                    style={{ width: `${(100 * Number(total)) / Number(whole)}%`, background: swatchOf(kind, ground) }}
                  />
                  <button
                    type="button"
                    class="link"
                    dir="auto"
                    title={say('openSandwich')}
                    onClick={() => change({ tab: 'sandwich', focus: { kind, value } })}
                  >
                    {displayText(value).slice(0, 120)}
                  </button>
                  <span>{words(total, measure.unit)}</span>
                  <small>{share(total, whole)}</small>
                </li>
              );
            })}
          </ol>
        </div>
      ))}
    </section>
  );
}
