import { NO_ROW } from '../trace/kinds.ts';
import type { TouchKind } from '../trace/touches.ts';

/**
 * One conversation inside a file: the main one, or that of a subagent. Plain data, because the reading of a grown file
 * goes on from it. Times in microseconds, rows are rows of the operations.
 */
export interface Strand {
  readonly id: string;
  /** Index of the session. */
  session: number;
  /** What opened the turn; NO_ROW before the first. */
  turn: number;
  /** When the model was last given something to answer; 0 once it answers. */
  trigger: number;
  /** The first thing a subagent is told is its task. */
  tasked: boolean;
  version: string;
  branch: string;
  cwd: string;
  /** The model of answers that do not name one. */
  model: string;
}

export function newStrand(id: string, session: number): Strand {
  return {
    id,
    session,
    turn: NO_ROW,
    trigger: 0,
    tasked: false,
    version: '',
    branch: '',
    cwd: '',
    model: '',
  };
}

/** What a tool call names, noted when its result shows that it ran. */
export interface Touch {
  kind: TouchKind;
  value: string;
  other?: string;
}

/** A tool call whose result may still come. */
export interface OpenTool {
  row: number;
  touches: readonly Touch[];
}
