import type { RecordingHeader } from './events.ts';

/** Between the wall clock of histories (microseconds since the epoch) and the monotonic one of a recording (nanoseconds). */
export interface Clock {
  mono(wall_us: number): number;
  wall(mono_ns: number): number;
}

/** Read once, when the recording began: a machine that slept since then shifts what comes after. */
export function clockOf({ t0_wall_ms, t0_mono_ns }: RecordingHeader): Clock {
  const t0_us = t0_wall_ms * 1000;
  return {
    mono: wall_us => (wall_us - t0_us) * 1000 + t0_mono_ns,
    wall: mono_ns => Math.round((mono_ns - t0_mono_ns) / 1000) + t0_us,
  };
}
