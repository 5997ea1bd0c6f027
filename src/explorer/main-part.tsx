import { useMemo } from 'preact/hooks';
import { displayText } from '../formats/names.ts';
import { useApp } from './app-context.tsx';
import { Details } from './details.tsx';
import { type Flame, pathTo } from './flame.ts';
import { FlameView } from './flame-view.tsx';
import type { Found } from './found.ts';
import { Leaders } from './leaders.tsx';
import { Sandwich } from './sandwich.tsx';
import { Sessions } from './sessions.tsx';
import { TABS } from './state.ts';
import { TableView } from './table-view.tsx';
import { measureName } from './words.ts';

/** Levels of a flame that leaves room below it, and nodes that are ranked within a frame. */
const SHORT = 12;
const LIGHT = 20_000;

interface MainProps {
  /** Not there while the cells that it is folded from are being read. */
  readonly flame: Flame | undefined;
  readonly mask: Uint8Array | undefined;
  readonly zoomed: number;
  readonly found: Found;
  /** The exact sum of each measure. */
  readonly sums: readonly bigint[];
}

/** The tabs, the way from the root to the zoomed frame, and what the tab shows. */
export function MainPart({ flame, mask, zoomed, found, sums }: MainProps) {
  const { state, change, say } = useApp();
  const empty = flame?.total[0] === 0;
  return (
    <main>
      <nav class="tabs">
        <div role="tablist">
          {TABS.map(tab => (
            <button
              key={tab}
              type="button"
              role="tab"
              id={`tab-${tab}`}
              aria-selected={state.tab === tab}
              onClick={() => change({ tab })}
            >
              {say(tab)}
            </button>
          ))}
        </div>
        {flame && !empty && <Path flame={flame} zoomed={zoomed} />}
        {state.tab === 'flame' && !empty && (
          <button type="button" class="link" id="flip" onClick={() => change({ upward: !state.upward })}>
            {state.upward ? say('flip') : say('flipUp')}
          </button>
        )}
      </nav>
      <section role="tabpanel" aria-labelledby={`tab-${state.tab}`} class={`panel ${state.tab}`}>
        {!flame || (!mask && state.tab !== 'flame') ? (
          <p class="empty">{say('reading')}</p>
        ) : empty ? (
          <Empty mask={mask} />
        ) : state.tab === 'flame' || !mask ? (
          <FlamePart flame={flame} mask={mask} zoomed={zoomed} found={found} sums={sums} />
        ) : state.tab === 'table' ? (
          <TableView flame={flame} zoomed={zoomed} found={found} />
        ) : state.tab === 'sandwich' ? (
          <Sandwich flame={flame} zoomed={zoomed} />
        ) : (
          <Sessions mask={mask} path={pathTo(flame, zoomed)} />
        )}
      </section>
    </main>
  );
}

function FlamePart({ flame, mask, zoomed, found, sums }: MainProps & { readonly flame: Flame }) {
  const { state, measure, change, say, language } = useApp();
  // A flat flame leaves room for the names of what is in it.
  const short = mask !== undefined && flame.levels.length <= SHORT && flame.length < LIGHT;
  return (
    <>
      <div class={short ? 'beside short' : 'beside'}>
        <FlameView
          id="flame"
          flame={flame}
          measure={measure}
          rootName={say('all')}
          zoomed={zoomed}
          upward={state.upward}
          hits={found.hits}
          {...(short ? { mostRows: SHORT } : {})}
          label={say('canvas', { measure: measureName(state.measure, language) })}
          onZoom={node =>
            change({ zoom: pathTo(flame, node).map(frame => flame.frames[frame] as { kind: string; value: string }) })
          }
        />
        {short && <Leaders flame={flame} zoomed={zoomed} />}
      </div>
      {mask && zoomed !== 0 && <Details flame={flame} mask={mask} node={zoomed} all={sums} />}
    </>
  );
}

/** The frames from the root to the zoomed one; each leads back to itself. */
function Path({ flame, zoomed }: { flame: Flame; zoomed: number }) {
  const { change, say } = useApp();
  const frames = useMemo(
    () => pathTo(flame, zoomed).map(frame => flame.frames[frame] as { kind: string; value: string }),
    [flame, zoomed],
  );
  // Of a path of thousands of levels the ends say enough.
  const shown = frames.map((frame, at) => ({ frame, at })).filter(({ at }) => at < 4 || at >= frames.length - 4);
  return (
    <ol class="path" id="path">
      <li>
        <button type="button" class="link" onClick={() => change({ zoom: [] })}>
          {say('all')}
        </button>
      </li>
      {shown.map(({ frame, at }) => (
        <li key={at}>
          <i aria-hidden="true">{at === frames.length - 4 && frames.length > 8 ? '› … ›' : '›'}</i>
          <button
            type="button"
            class="link"
            dir="auto"
            aria-current={at === frames.length - 1}
            onClick={() => change({ zoom: frames.slice(0, at + 1) })}
          >
            {displayText(`${frame.kind}:${frame.value}`).slice(0, 48)}
          </button>
        </li>
      ))}
    </ol>
  );
}

/** Why there is nothing to see, and the way out. */
function Empty({ mask }: { mask: Uint8Array | undefined }) {
  const { outline, state, say, language } = useApp();
  const word = outline.empty ? 'emptyAll' : !mask || mask.includes(1) ? 'emptyMeasure' : 'emptyFilter';
  return (
    <p class="empty" id="empty">
      {say(word, { measure: measureName(state.measure, language) })}
    </p>
  );
}
