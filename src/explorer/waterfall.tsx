import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { displayText } from '../formats/names.ts';
import { exactly, share, words } from '../formats/units.ts';
import type { Span, Timeline } from '../profile/timelines.ts';
import { useApp } from './app-context.tsx';
import { spanFill } from './colours.ts';
import { dayTime } from './day-time.ts';
import { saveText } from './save.tsx';
import { factsOf, isWork, scaleOf, type TimeScale } from './time-scale.ts';

const ROW = 22;
/** Rows beyond both ends of what is seen, so that scrolling shows no blank. */
const MARGIN = 12;
/** Of more spans than this only the turns are shown at first. */
const MANY = 160;
/** Marks closer than this part of the width would run into each other. */
const APART = 0.09;

/** A session over time: a row for each turn, call, tool call and subagent, long pauses shortened. */
export function Waterfall({ timeline, onClose }: { timeline: Timeline; onClose: () => void }) {
  const { say, ground, announce } = useApp();
  const { spans } = timeline;
  const facts = useMemo(() => factsOf(spans), [timeline]);
  const tree = useMemo(() => treeOf(spans), [timeline]);
  const [closed, setClosed] = useState<ReadonlySet<number>>(
    () => new Set(spans.length > MANY ? spans.flatMap((span, at) => (span.kind === 'turn' ? [at] : [])) : []),
  );
  const [zoom, setZoom] = useState(-1);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current as HTMLDivElement;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const rows = useMemo(() => shownRows(spans, closed), [spans, closed]);
  const range = spans[zoom];
  const scale = useMemo(() => scaleOf(spans, range?.start ?? facts.from, range?.end ?? facts.to), [timeline, zoom]);
  const first = Math.max(Math.floor(top / ROW) - MARGIN, 0);
  const seen = rows.slice(first, Math.ceil((top + height) / ROW) + MARGIN);
  const toggle = (at: number) => {
    const next = new Set(closed);
    if (!next.delete(at)) next.add(at);
    setClosed(next);
  };
  const save = async () => {
    const { chromeTrace } = await import('../exports/chrome-trace.ts');
    const name = `agentpprof-${(timeline.sessions[0] ?? 'session').replaceAll(/[^\w-]/g, '_')}.trace.json`;
    saveText(name, JSON.stringify(chromeTrace([timeline])), 'application/json');
    announce(say('saved', { what: name }));
  };
  // Of one thing there is no plural.
  const told = [
    say('nTurns', { n: facts.turns }),
    say('nCalls', { n: facts.calls }),
    say('nTools', { n: facts.tools }),
    ...(facts.subagents > 0 ? [say('nSubagents', { n: facts.subagents })] : []),
    say('activeOf', { active: lasting(facts.active), wall: lasting(facts.wall) }),
    ...(facts.most > 1 ? [say('atOnce', { n: facts.most })] : []),
  ].map(text => text.replace(/^1 (.+)s$/, '1 $1'));
  return (
    <div class="waterfall" id="waterfall">
      <div class="over">
        <button type="button" class="link" id="waterfall-back" onClick={onClose}>
          ‹ {say('sessions')}
        </button>
        <h2 dir="auto">{displayText([timeline.agent, timeline.project].filter(part => part !== '').join(' · '))}</h2>
        <code>{displayText(timeline.sessions[0] ?? '')}</code>
        <span class="room" />
        {range && (
          <button type="button" id="waterfall-whole" onClick={() => setZoom(-1)}>
            {say('wholeSession')}
          </button>
        )}
        <button
          type="button"
          onClick={() =>
            setClosed(closed.size > 0 ? new Set() : new Set(spans.flatMap((_, at) => (tree[at] ? [at] : []))))
          }
        >
          {closed.size > 0 ? say('openAll') : say('closeAll')}
        </button>
        <button type="button" id="chrome-trace" title={say('perfetto')} onClick={() => void save()}>
          {say('chromeTrace')}
        </button>
      </div>
      <p class="told" id="waterfall-facts" data-active={facts.active} data-most={facts.most}>
        {told.join(' · ')}
      </p>
      <Axis scale={scale} />
      <div class="rows" ref={place} onScroll={event => setTop(event.currentTarget.scrollTop)}>
        <ol style={{ height: `${rows.length * ROW}px` }}>
          {seen.map((at, i) => {
            const span = spans[at] as Span;
            const left = scale.place(span.start);
            const right = scale.place(span.end);
            const out = range !== undefined && (span.end < range.start || span.start > range.end);
            return (
              <li
                key={at}
                class={`${span.kind}${zoom === at ? ' zoomed' : ''}${out ? ' out' : ''}`}
                style={{ top: `${(first + i) * ROW}px` }}
                title={titleOf(span)}
              >
                <span class="name" style={{ paddingInlineStart: `${depthOf(spans, at) * 14}px` }}>
                  {tree[at] ? (
                    <button
                      type="button"
                      class="fold"
                      aria-expanded={!closed.has(at)}
                      aria-label={span.name}
                      onClick={() => toggle(at)}
                    >
                      {closed.has(at) ? '▸' : '▾'}
                    </button>
                  ) : (
                    <i />
                  )}
                  <button type="button" class="link" dir="auto" onClick={() => setZoom(zoom === at ? -1 : at)}>
                    {displayText(span.name).slice(0, 200)}
                  </button>
                  {span.status !== '' && <em>{displayText(span.status)}</em>}
                </span>
                <span class="time">
                  {!out && (
                    <b
                      class={tree[at] && isWork(span) ? 'waits' : span.waits ? 'waits' : ''}
                      style={{
                        left: `${left * 100}%`,
                        width: `${Math.max(right - left, 0) * 100}%`,
                        background: spanFill(span, ground),
                      }}
                    />
                  )}
                  {!out && (
                    <small
                      style={right > 0.86 ? { right: `${(1 - left) * 100}%` } : { left: `${right * 100}%` }}
                      class={right > 0.86 ? 'before' : ''}
                    >
                      {lasting(span.end - span.start)}
                      {span.tokens > 0 ? ` · ${words(BigInt(span.tokens), 'count')}` : ''}
                    </small>
                  )}
                </span>
              </li>
            );
          })}
        </ol>
      </div>
    </div>
  );

  function titleOf(span: Span): string {
    return [
      displayText(span.name).slice(0, 300),
      span.model,
      span.status,
      `${dayTime(span.start / 1000)} + ${exactly(BigInt(Math.round(span.end - span.start)) * 1000n, 'nanoseconds')}`,
      ...(span.tokens > 0 ? [say('nTokens', { n: exactly(BigInt(span.tokens), 'count') })] : []),
      ...(span.waits ? [say('waitsPerson')] : []),
      ...(span.file >= 0 ? [`#${span.file} @${span.offset} +${span.bytes}`] : []),
      share(BigInt(Math.round(span.end - span.start)), BigInt(Math.round(facts.active))),
    ]
      .filter(part => part !== '')
      .join('\n');
  }
}

/** Clock times where work begins, and how long the shortened pauses were. */
function Axis({ scale }: { scale: TimeScale }) {
  const { say } = useApp();
  let before = -1;
  const marks = scale.marks.filter(({ at }) => {
    const apart = before < 0 || at - before >= APART;
    if (apart) before = at;
    return apart && at < 0.97;
  });
  let day = '';
  return (
    <div class="axis" aria-hidden="true">
      <span />
      <div>
        {scale.pauses.map(({ from, to, length }) => (
          <i
            key={from}
            style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }}
            title={say('pause', { length: lasting(length) })}
          />
        ))}
        {marks.map(({ at, time }) => {
          const full = dayTime(time / 1000);
          const text = full.startsWith(day) && day !== '' ? full.slice(11, 16) : full.slice(5, 16);
          day = full.slice(0, 10);
          return (
            <time key={at} style={{ left: `${at * 100}%` }}>
              {text}
            </time>
          );
        })}
      </div>
    </div>
  );
}

function lasting(microseconds: number): string {
  return words(BigInt(Math.round(microseconds)) * 1000n, 'nanoseconds');
}

/** Whether anything stands under each span. */
function treeOf(spans: readonly Span[]): boolean[] {
  const has = new Array<boolean>(spans.length).fill(false);
  for (const span of spans) if (span.parent >= 0) has[span.parent] = true;
  return has;
}

/** Spans under nothing that is closed. */
function shownRows(spans: readonly Span[], closed: ReadonlySet<number>): number[] {
  const hidden = new Uint8Array(spans.length);
  const rows: number[] = [];
  spans.forEach((span, at) => {
    if (span.parent >= 0 && (hidden[span.parent] === 1 || closed.has(span.parent))) hidden[at] = 1;
    else rows.push(at);
  });
  return rows;
}

function depthOf(spans: readonly Span[], at: number): number {
  let depth = 0;
  for (let up = (spans[at] as Span).parent; up >= 0; up = (spans[up] as Span).parent) depth++;
  return Math.min(depth, 12);
}
