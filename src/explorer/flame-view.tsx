import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { share } from '../formats/units.ts';
import type { Measure } from '../trace/measures.ts';
import { useApp } from './app-context.tsx';
import { childrenOf, type Flame } from './flame.ts';
import { Minimap } from './minimap.tsx';
import { type Look, Painter, ROW } from './painter.tsx';
import { Tip, type TipAt } from './tip.tsx';
import { inFull } from './words.ts';

export interface FlameViewProps {
  readonly flame: Flame;
  readonly measure: Measure;
  readonly rootName: string;
  /** The node that fills the width. */
  readonly zoomed: number;
  readonly onZoom: (node: number) => void;
  readonly upward: boolean;
  readonly hits?: Uint8Array | undefined;
  readonly label: string;
  /** Tall enough for all levels, up to this; without it as tall as its place. */
  readonly mostRows?: number;
  readonly id: string;
}

const ZOOM_MS = 180;

/** A flame graph on a canvas: pointer and keyboard zoom, native scrolling, a tooltip, and words for screen readers. */
export function FlameView(props: FlameViewProps) {
  const { flame, measure, zoomed, upward, hits } = props;
  const { say, ground, language } = useApp();
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const look = useRef<Look>({ left: 0, right: 1, top: 0, width: 0, height: 0, upward, marked: -1, hovered: -1, hits });
  const animation = useRef({ frame: 0, pending: false });
  const [tip, setTip] = useState<TipAt>();
  const [marked, setMarked] = useState(-1);
  const painter = useMemo(
    () => new Painter(flame, measure, ground, props.rootName),
    [flame, measure, ground, props.rootName],
  );
  const tall = flame.levels.length * ROW;

  const draw = () => {
    const element = canvas.current;
    const ink = element?.getContext('2d', { alpha: false });
    if (!element || !ink || look.current.width === 0) return;
    const density = window.devicePixelRatio || 1;
    ink.setTransform(density, 0, 0, density, 0, 0);
    painter.paint(ink, look.current);
  };
  const drawSoon = () => {
    if (animation.current.pending) return;
    animation.current.pending = true;
    requestAnimationFrame(() => {
      animation.current.pending = false;
      draw();
    });
  };
  const change = (part: Partial<Look>) => {
    look.current = { ...look.current, ...part };
  };
  const resize = () => {
    if (toPlace()) draw();
  };
  const forget = () => {
    change({ hovered: -1 });
    setTip(undefined);
    drawSoon();
  };
  /** Makes the canvas as large as its place; tells whether that changed anything. */
  const toPlace = (): boolean => {
    const place = scroller.current;
    const element = canvas.current;
    if (!place || !element) return false;
    const density = window.devicePixelRatio || 1;
    const width = place.clientWidth;
    const height = place.clientHeight;
    const before = look.current;
    if (element.width !== Math.round(width * density) || element.height !== Math.round(height * density)) {
      element.width = Math.round(width * density);
      element.height = Math.round(height * density);
      element.style.width = `${width}px`;
      element.style.height = `${height}px`;
    }
    change({ width, height, top: place.scrollTop });
    return before.width !== width || before.height !== height;
  };

  // The first picture is drawn before the browser paints at all; a new flame is never shown with an old range.
  const shown = useRef<Flame | undefined>(undefined);
  useLayoutEffect(() => {
    const left = flame.start[zoomed] as number;
    const right = left + (flame.total[zoomed] as number);
    change({ upward, hits, marked: Math.min(marked, flame.length - 1) });
    cancelAnimationFrame(animation.current.frame);
    if (shown.current !== flame || matchMedia('(prefers-reduced-motion: reduce)').matches) {
      shown.current = flame;
      change({ left, right });
      toPlace();
      draw();
      return;
    }
    const from = look.current;
    const began = performance.now();
    const step = (now: number) => {
      const part = Math.min(Math.max((now - began) / ZOOM_MS, 0), 1);
      const eased = 1 - (1 - part) ** 3;
      change({ left: from.left + (left - from.left) * eased, right: from.right + (right - from.right) * eased });
      draw();
      if (part < 1) animation.current.frame = requestAnimationFrame(step);
      // What lay under the pointer meanwhile is elsewhere now.
      else forget();
    };
    if (from.left !== left || from.right !== right) animation.current.frame = requestAnimationFrame(step);
    else {
      toPlace();
      draw();
    }
  }, [flame, zoomed, upward, hits, painter]);

  useLayoutEffect(() => {
    const place = scroller.current as HTMLDivElement;
    const depth = flame.depth[zoomed] as number;
    const row = upward ? flame.levels.length - 1 - depth : depth;
    const wanted = row * ROW;
    // The zoomed box stays in sight with some of the frames that led to it.
    if (wanted < place.scrollTop || wanted > place.scrollTop + place.clientHeight - 4 * ROW)
      place.scrollTop = upward ? wanted - place.clientHeight + 3 * ROW : Math.max(wanted - 2 * ROW, 0);
  }, [flame, zoomed, upward]);

  const latest = useRef(resize);
  latest.current = resize;
  useEffect(() => {
    const observer = new ResizeObserver(() => latest.current());
    observer.observe(scroller.current as Element);
    return () => observer.disconnect();
  }, []);

  const mark = (node: number) => {
    setMarked(node);
    change({ marked: node });
    const place = scroller.current as HTMLDivElement;
    const depth = flame.depth[node] as number;
    const y = (upward ? flame.levels.length - 1 - depth : depth) * ROW;
    if (y < place.scrollTop) place.scrollTop = y;
    else if (y + ROW > place.scrollTop + place.clientHeight) place.scrollTop = y + ROW - place.clientHeight;
    drawSoon();
  };
  const point = (event: MouseEvent): number => {
    const box = (canvas.current as HTMLCanvasElement).getBoundingClientRect();
    const node = painter.nodeAt(look.current, event.clientX - box.left, event.clientY - box.top);
    // The first view leaves names out that nobody could read; such a box says nothing until the cells are there.
    return node > 0 && flame.frames[flame.frame[node] as number]?.value === '' ? -1 : node;
  };
  const onMove = (event: MouseEvent) => {
    const node = point(event);
    if (node !== look.current.hovered) {
      change({ hovered: node });
      drawSoon();
    }
    setTip(node < 0 ? undefined : { node, x: event.clientX, y: event.clientY });
  };
  const onLeave = forget;
  const onKey = (event: KeyboardEvent) => {
    const at = marked < 0 || marked >= flame.length ? zoomed : marked;
    const next = walk(flame, at, event.key, upward);
    if (next !== undefined) mark(next);
    else if (event.key === 'Enter' || event.key === ' ') props.onZoom(at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const spoken = marked >= 0 && marked < flame.length ? said(painter, measure, marked) : '';

  function said(of: Painter, measured: Measure, node: number): string {
    const total = flame.exactTotal(node);
    const below = childrenOf(flame, node).length;
    return [
      of.name(node),
      inFull(total, measured, language),
      share(total, flame.exactTotal(0)),
      say('level', { n: flame.depth[node] as number }),
      say('below', { n: below }),
    ].join(', ');
  }

  const rows = props.mostRows;
  return (
    <div class="flame" id={props.id}>
      <div
        class="scroller"
        ref={scroller}
        onScroll={() => {
          change({ top: (scroller.current as HTMLDivElement).scrollTop });
          drawSoon();
        }}
        style={rows ? { height: `${Math.min(rows, flame.levels.length) * ROW}px` } : undefined}
      >
        <div class="spacer" style={{ height: `${Math.max(tall, 1)}px` }}>
          <canvas
            ref={canvas}
            tabIndex={0}
            role="img"
            aria-label={`${props.label} ${spoken}`}
            onMouseMove={onMove}
            onMouseLeave={onLeave}
            onClick={event => {
              const node = point(event);
              if (node >= 0) {
                setMarked(node);
                change({ marked: node });
                props.onZoom(node);
              }
            }}
            onKeyDown={onKey}
          />
        </div>
      </div>
      <Minimap flame={flame} scroller={scroller} upward={upward} ground={ground} label={say('minimap')} />
      <p class="spoken" aria-live="polite">
        {spoken}
      </p>
      {tip && tip.node < flame.length && <Tip at={tip} flame={flame} painter={painter} measure={measure} />}
    </div>
  );
}

/** The node that an arrow key leads to; undefined for other keys. */
function walk(flame: Flame, node: number, key: string, upward: boolean): number | undefined {
  const parent = flame.parent[node] as number;
  const inward = () => childrenOf(flame, node)[0] ?? node;
  switch (key) {
    case 'ArrowDown':
      return upward ? parent : inward();
    case 'ArrowUp':
      return upward ? inward() : parent;
    case 'ArrowLeft':
    case 'ArrowRight': {
      const level = flame.levels[flame.depth[node] as number] as Uint32Array;
      const at = level.indexOf(node) + (key === 'ArrowRight' ? 1 : -1);
      return level[at] ?? node;
    }
    case 'Home':
      return 0;
    default:
      return undefined;
  }
}
