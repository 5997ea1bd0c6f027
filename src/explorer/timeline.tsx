import { useRef, useState } from 'preact/hooks';
import { displayText } from '../formats/names.ts';
import { fillOf } from '../formats/svg-style.ts';
import { words } from '../formats/units.ts';
import { useApp } from './app-context.tsx';
import { PALETTES } from './colours.ts';
import type { Span, Timebars } from './periods.ts';

const HEIGHT = 56;
/** Told apart by lightness too: no two neighbours look alike in grey. */
const SERIES = ['call-0', 'why-0', 'tool-0', 'token-0', 'model-0'] as const;

/** The current measure day by day or week by week, stacked by the outermost frame that varies; drag for a span of time. */
export function Timeline({ bars }: { bars: Timebars }) {
  const { state, measure, change, say, ground } = useApp();
  const svg = useRef<SVGSVGElement>(null);
  const [drag, setDrag] = useState<Span>();
  const [hover, setHover] = useState<number>();
  const { periods, series, most } = bars;
  if (periods.length < 2) return null;
  const at = (event: PointerEvent): number => {
    const box = (svg.current as SVGSVGElement).getBoundingClientRect();
    return Math.min(
      Math.max(Math.floor(((event.clientX - box.left) / box.width) * periods.length), 0),
      periods.length - 1,
    );
  };
  const scaled = (value: number) =>
    words(BigInt(Math.round(measure.name === 'cost' ? value / 1000 : value)), measure.unit);
  const span = drag ?? chosen();
  const shown = hover === undefined ? undefined : periods[hover];
  const colour = (s: number) => (s < SERIES.length ? fillOf(SERIES[s] as string, ground) : PALETTES[ground].rest);
  return (
    <section class="timeline" aria-label={say('timeline')}>
      <svg
        ref={svg}
        viewBox={`0 0 ${periods.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${say('timeline')}: ${periods[0]?.name} – ${periods.at(-1)?.name}`}
        onPointerDown={event => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ first: at(event), last: at(event) });
        }}
        onPointerMove={event => {
          setHover(at(event));
          if (drag) setDrag({ first: drag.first, last: at(event) });
        }}
        onPointerLeave={() => setHover(undefined)}
        onPointerUp={() => {
          if (drag) choose(drag);
          setDrag(undefined);
        }}
      >
        {periods.map((period, i) => {
          let y = HEIGHT;
          const inside = !span || (i >= Math.min(span.first, span.last) && i <= Math.max(span.first, span.last));
          return (
            <g key={period.name} opacity={inside ? 1 : 0.3}>
              {hover === i && <rect class="hover" x={i} y={0} width={1} height={HEIGHT} />}
              {period.values.map((value, s) => {
                const height = most === 0 ? 0 : (value / most) * (HEIGHT - 2);
                y -= height;
                return height > 0 ? (
                  <rect key={s} x={i + 0.08} width={0.84} y={y} height={height} fill={colour(s)} />
                ) : null;
              })}
            </g>
          );
        })}
      </svg>
      <div class="legend">
        <span class="now">
          {shown ? `${shown.name}: ${scaled(shown.total)}` : `${periods[0]?.name} – ${periods.at(-1)?.name}`}
        </span>
        {series.map((name, s) => (
          <span key={name}>
            <s style={{ background: colour(s) }} />
            <bdi>{name === '' ? say('others') : displayText(name).slice(0, 40)}</bdi>
            {shown?.values[s] ? ` ${scaled(shown.values[s] as number)}` : ''}
          </span>
        ))}
        <button
          type="button"
          class="link"
          id="period"
          onClick={() => change({ period: state.period === 'day' ? 'week' : 'day' })}
        >
          {state.period === 'day' ? say('byWeek') : say('byDay')}
        </button>
      </div>
    </section>
  );

  function chosen(): Span | undefined {
    const { from, to } = state.filter;
    if (from === '' && to === '') return undefined;
    const first = periods.findIndex(period => from === '' || period.lastDay >= from);
    const after = periods.findIndex(period => to !== '' && period.firstDay > to);
    return { first: first < 0 ? periods.length : first, last: after < 0 ? periods.length - 1 : after - 1 };
  }
  function choose({ first, last }: Span): void {
    const a = periods[Math.min(first, last)];
    const b = periods[Math.max(first, last)];
    if (!a || !b) return;
    const same = state.filter.from === a.firstDay && state.filter.to === b.lastDay;
    change({ filter: { ...state.filter, from: same ? '' : a.firstDay, to: same ? '' : b.lastDay }, zoom: [] });
  }
}
