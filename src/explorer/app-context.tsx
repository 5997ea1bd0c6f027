import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { PageFacts } from '../formats/cells-code.ts';
import type { KeptTimelines } from '../formats/timelines-code.ts';
import type { Measure } from '../trace/measures.ts';
import type { Ground } from './colours.ts';
import type { Outline } from './first-view.ts';
import type { Model } from './model.ts';
import type { State } from './state.ts';
import type { Language, Say } from './words.ts';

/** What every part of the page may know. */
export interface App {
  readonly outline: Outline;
  /** The measure that is the width. */
  readonly measure: Measure;
  /** Not there until the cells have been read. */
  readonly model: Model | undefined;
  /** Sessions over time, read when they are first asked for. */
  readonly timelines: () => KeptTimelines;
  readonly facts: PageFacts;
  readonly state: State;
  /** The state that a fragment leaves out. */
  readonly start: State;
  readonly change: (part: Partial<State>) => void;
  readonly say: Say;
  readonly language: Language;
  readonly ground: Ground;
  /** Says something to screen readers, and shows it for a moment. */
  readonly announce: (text: string) => void;
}

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error('no app around this part');
  return app;
}

/** For parts that are shown only once the cells have been read. */
export function useModel(): Model {
  const { model } = useApp();
  if (!model) throw new Error('the cells have not been read yet');
  return model;
}
