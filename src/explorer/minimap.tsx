import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { fillsOf, type Ground } from './colours.ts';
import type { Flame } from './flame.ts';
import { paintOverview, ROW } from './painter.tsx';

const WIDTH = 64;

interface MinimapProps {
  readonly flame: Flame;
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly upward: boolean;
  readonly ground: Ground;
  readonly label: string;
}

/** All levels of a deep flame in a strip; a press or drag scrolls there. Not there while everything is in sight. */
export function Minimap({ flame, scroller, upward, ground, label }: MinimapProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const window_ = useRef<HTMLDivElement>(null);
  const strip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const place = scroller.current as HTMLDivElement;
    const element = canvas.current as HTMLCanvasElement;
    let gone = false;
    const follow = () => {
      if (gone || !strip.current || !window_.current) return false;
      const deep = place.scrollHeight > place.clientHeight + ROW * 2;
      strip.current.hidden = !deep;
      const marker = window_.current;
      marker.style.top = `${(100 * place.scrollTop) / place.scrollHeight}%`;
      marker.style.height = `${(100 * place.clientHeight) / place.scrollHeight}%`;
      return deep;
    };
    const paint = () => {
      if (!follow()) return;
      const density = window.devicePixelRatio || 1;
      const height = place.clientHeight;
      element.width = WIDTH * density;
      element.height = height * density;
      element.style.height = `${height}px`;
      const ink = element.getContext('2d');
      if (!ink) return;
      ink.setTransform(density, 0, 0, upward ? -density : density, 0, upward ? height * density : 0);
      paintOverview(ink, flame, fillsOf(flame.frames, ground), WIDTH, height);
    };
    // After the first picture: the overview is never what a person waits for.
    const later = requestAnimationFrame(() => setTimeout(paint));
    const observer = new ResizeObserver(paint);
    observer.observe(place);
    place.addEventListener('scroll', follow, { passive: true });
    return () => {
      gone = true;
      cancelAnimationFrame(later);
      observer.disconnect();
      place.removeEventListener('scroll', follow);
    };
  }, [flame, upward, ground]);
  const scroll = (event: PointerEvent) => {
    const place = scroller.current as HTMLDivElement;
    const box = (strip.current as HTMLDivElement).getBoundingClientRect();
    place.scrollTop = ((event.clientY - box.top) / box.height) * place.scrollHeight - place.clientHeight / 2;
  };
  return (
    <div
      class="minimap"
      ref={strip}
      hidden
      title={label}
      aria-hidden="true"
      onPointerDown={event => {
        event.currentTarget.setPointerCapture(event.pointerId);
        scroll(event);
      }}
      onPointerMove={event => {
        if (event.buttons === 1) scroll(event);
      }}
    >
      <canvas ref={canvas} />
      <div class="window" ref={window_} />
    </div>
  );
}
