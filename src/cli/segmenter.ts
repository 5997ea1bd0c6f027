import type { Segment } from '../meaning/segmentation/marks.ts';
import type { History } from './history.ts';
import type { HistoryFlags, LlmFlags } from './options.ts';
import type { SessionSteps } from './segment.ts';

export interface RunFlags extends HistoryFlags, LlmFlags {
  backend: string;
  modelFile?: string;
  exec?: string;
  protocol: string;
  workspace?: string;
  marks?: string;
  all?: boolean;
  hide: string[];
  json?: boolean;
}

/** Segments of each session given, by its key. Sessions that a backend leaves out keep the marks they had. */
export type Segmenter = (sessions: readonly SessionSteps[], history: History) => Promise<Map<string, Segment[]>>;
