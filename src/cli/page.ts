import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type FirstView, firstViewOf } from '../explorer/first-view.ts';
import type { PageContent, PageFacts } from '../formats/cells-code.ts';
import type { PageProgram } from '../formats/html.ts';
import { cellsOf } from '../profile/aggregate.ts';
import type { Shown } from '../profile/fold.ts';
import type { Profile } from '../profile/profile.ts';
import type { View } from '../profile/views.ts';
import type { History } from './history.ts';
import { previewOf } from './page-questions.ts';
import { keptTimelines } from './page-timelines.ts';
import { VERSION } from './version.ts';

const EVIDENCE_PER_FRAME = 20;

export interface PageAsked {
  readonly view: View;
  readonly profile: Profile;
  readonly rows: Uint32Array;
  readonly shown: Shown;
  readonly subtitle: string;
  /** Put the recorded line of each operation kept as evidence into the page, secrets replaced. */
  readonly previews: boolean;
  /** A server will stand behind the page. */
  readonly served: boolean;
}

/** What a page of this history holds. `rows` must be in the order of the files. */
export function pageContent(history: History, asked: PageAsked): PageContent & { readonly first: FirstView } {
  const { view, profile } = asked;
  const cells = cellsOf(history.trace, asked.rows, {
    shown: asked.shown,
    evidence: EVIDENCE_PER_FRAME,
    frames: view.stack,
  });
  const facts: PageFacts = {
    version: VERSION,
    view: view.name,
    measure: view.measure,
    stack: view.stack,
    subtitle: asked.subtitle,
    comments: profile.comments,
    previews: asked.previews ? Array.from(cells.evidence.row, row => previewOf(history, row)) : [],
    ...(asked.served ? { served: true } : {}),
  };
  const timelines = keptTimelines(history.trace, asked.rows, asked.shown, view.measure);
  return { cells, facts, timelines, first: firstViewOf({ cells, facts }) };
}

/** The page's program lies beside the bundle that this file is part of. */
export function pageProgram(): PageProgram {
  const text = (name: string) => readFileSync(fileURLToPath(new URL(`./${name}`, import.meta.url)), 'utf8');
  return { script: text('explorer-page.js'), style: text('explorer-page.css') };
}
