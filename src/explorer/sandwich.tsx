import { useMemo } from 'preact/hooks';
import { displayText } from '../formats/names.ts';
import { share } from '../formats/units.ts';
import type { Frame } from '../profile/profile.ts';
import { useApp, useModel } from './app-context.tsx';
import type { Flame } from './flame.ts';
import { FlameView } from './flame-view.tsx';
import { type Rank, ranksOf, sandwichOf } from './ranks.ts';
import { inFull, measureName } from './words.ts';

const OFFERED = 400;
const ROWS = 14;

/** What led to a frame above it, what it led to below it, over all its places in all stacks. */
export function Sandwich({ flame, zoomed }: { flame: Flame; zoomed: number }) {
  const { state, measure, change, say, language } = useApp();
  const model = useModel();
  const ranks = useMemo(() => ranksOf(flame), [flame]);
  const { focus = usual(flame, zoomed, ranks) } = state;
  const frame = focus ? model.frameId(focus.kind, focus.value) : undefined;
  const rank = ranks.find(each => each.frame === frame);
  const both = useMemo(() => (frame === undefined ? undefined : sandwichOf(flame, frame)), [flame, frame]);
  const name = (id: number) => displayText(`${flame.frames[id]?.kind}:${flame.frames[id]?.value}`).slice(0, 120);
  return (
    <div class="both">
      <p>
        <select
          id="focus"
          value={rank ? String(frame) : ''}
          aria-label={say('frame')}
          onChange={event => {
            const chosen = flame.frames[Number(event.currentTarget.value)];
            if (chosen && event.currentTarget.value !== '') change({ focus: chosen });
          }}
        >
          <option value="">{say('frame')} …</option>
          {ranks.slice(0, OFFERED).map(each => (
            <option key={each.frame} value={each.frame}>
              {name(each.frame)}
            </option>
          ))}
          {rank && ranks.indexOf(rank) >= OFFERED && <option value={frame}>{name(frame as number)}</option>}
        </select>
        {rank && (
          <span id="focus-total" data-exact={rank.total.toString()}>
            {inFull(rank.total, measure, language)} · {say('ofAll', { share: share(rank.total, flame.exactTotal(0)) })}
          </span>
        )}
      </p>
      {!rank || !both ? (
        <p class="empty">
          {focus
            ? say('notThere', {
                frame: displayText(`${focus.kind}:${focus.value}`).slice(0, 120),
                measure: measureName(measure.name, language),
              })
            : say('pickFrame')}
        </p>
      ) : (
        <>
          <h3>{say('callers')}</h3>
          <FlameView
            id="callers"
            flame={both.callers}
            measure={measure}
            rootName={name(rank.frame)}
            zoomed={0}
            upward
            mostRows={ROWS}
            label={say('callers')}
            onZoom={node => jump(both.callers, node)}
          />
          <h3>{say('callees')}</h3>
          <FlameView
            id="callees"
            flame={both.callees}
            measure={measure}
            rootName={name(rank.frame)}
            zoomed={0}
            upward={false}
            mostRows={ROWS}
            label={say('callees')}
            onZoom={node => jump(both.callees, node)}
          />
        </>
      )}
    </div>
  );
  function jump(of: Flame, node: number): void {
    const chosen = of.frames[of.frame[node] as number];
    if (node !== 0 && chosen) change({ focus: chosen });
  }
}

/** Where nobody has chosen: the zoomed frame, else the one with the most of its own. */
function usual(flame: Flame, zoomed: number, ranks: readonly Rank[]): Frame | undefined {
  if (zoomed !== 0) return flame.frames[flame.frame[zoomed] as number];
  let most: Rank | undefined;
  for (const rank of ranks) if (!most || rank.self > most.self) most = rank;
  return most && flame.frames[most.frame];
}
