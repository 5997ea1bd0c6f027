import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { PageFacts } from '../formats/cells-code.ts';
import type { KeptTimelines } from '../formats/timelines-code.ts';
import type { Measure } from '../trace/measures.ts';
import { type App, AppContext } from './app-context.tsx';
import { Cards } from './cards.tsx';
import type { Ground } from './colours.ts';
import { Filters } from './filters.tsx';
import { type FirstView, flameOf, knownStack, type Outline } from './first-view.ts';
import { nodeAt } from './flame.ts';
import { find, NOTHING } from './found.ts';
import { Header } from './header.tsx';
import { Help } from './help.tsx';
import { useKeys } from './keys.tsx';
import { MainPart } from './main-part.tsx';
import type { Model } from './model.ts';
import { periodsOf } from './periods.ts';
import { filterMask, NO_FILTER, project } from './project.ts';
import { StackBar } from './stack-bar.tsx';
import { foldsAlike, fragmentOf, isWhole, type State, stateOf } from './state.ts';
import { Timeline } from './timeline.tsx';
import { sumsOf } from './under.ts';
import { type Language, sayIn } from './words.ts';

export interface ExplorerProps {
  readonly outline: Outline;
  readonly facts: PageFacts;
  readonly language: Language;
  /** What is shown while the cells are being read; the numbers of both are the same. */
  readonly first: FirstView | undefined;
  readonly model: Model | undefined;
  readonly timelines: () => KeptTimelines;
}

export function Explorer({ outline, facts, language, first, model, timelines }: ExplorerProps) {
  const start = useMemo(() => startOf(outline, facts), [outline]);
  const [state, setState] = useState<State>(() => stateOf(location.hash, start, knownOf(outline)));
  const [help, setHelp] = useState(false);
  const [news, setNews] = useState('');
  const ground = useGround(state.theme);
  const change = (part: Partial<State>) => setState(before => ({ ...before, ...part }));
  const say = useMemo(() => sayIn(language), [language]);

  useEffect(() => {
    const fragment = fragmentOf(state, start);
    if (fragment === location.hash.replace(/^#/, '')) return;
    try {
      history.replaceState(null, '', `#${fragment}`);
    } catch {
      // Some browsers refuse more than a hundred changes in half a minute; the next one will tell the address.
    }
  }, [state]);
  useEffect(() => {
    const follow = () => setState(stateOf(location.hash, start, knownOf(outline)));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const timer = useRef(0);
  const announce = (text: string) => {
    setNews(text);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setNews(''), 4000);
  };

  const { filter, stack, period } = state;
  const measure = outline.measures.find(each => each.name === state.measure) as Measure;
  const asFirst = first !== undefined && foldsAlike(state, start);
  const mask = useMemo(() => model && filterMask(model, filter), [model, filter]);
  const flame = useMemo(() => {
    if (model && mask) return project(model, stack, state.measure, mask);
    return asFirst && first.boxes && !state.upward ? flameOf(first.boxes) : undefined;
  }, [model, mask, stack, state.measure, asFirst && !model, state.upward && !model]);
  const sums = useMemo(() => {
    if (first && isWhole(filter)) return first.sums.map(BigInt);
    return model && mask ? sumsOf(model, cell => mask[cell] === 1) : outline.measures.map(() => 0n);
  }, [model, mask, filter]);
  // The bars show all days, also those that the dates leave out: one sees what there is to choose.
  const bars = useMemo(() => {
    if (asFirst && period === 'day') return first.bars;
    if (!model || !mask) return { periods: [], series: [], most: 0 };
    const dated = filter.from !== '' || filter.to !== '';
    return periodsOf(
      model,
      stack,
      state.measure,
      period,
      dated ? filterMask(model, { ...filter, from: '', to: '' }) : mask,
    );
  }, [model, mask, stack, state.measure, period, asFirst]);
  const zoomed = useMemo(() => (flame ? nodeAt(flame, state.zoom) : 0), [flame, state.zoom]);
  const found = useMemo(() => (flame ? find(flame, state.search) : NOTHING), [flame, state.search]);
  const searchBox = useRef<HTMLInputElement>(null);
  const app: App = { outline, measure, model, timelines, facts, state, start, change, say, language, ground, announce };
  useKeys(app, { search: () => searchBox.current?.focus(), help: () => setHelp(shown => !shown), helpShown: help });

  return (
    <AppContext.Provider value={app}>
      <Header
        total={flame && model ? flame.exactTotal(0) : (sums[outline.measures.indexOf(measure)] as bigint)}
        flame={model && flame}
        zoomed={zoomed}
        found={found}
        searchBox={searchBox}
        onHelp={() => setHelp(true)}
      />
      <Cards sums={sums} />
      <div class="bars">
        <StackBar />
        <Filters />
      </div>
      <Timeline bars={bars} />
      <MainPart flame={flame} mask={mask} zoomed={zoomed} found={found} sums={sums} />
      {help && <Help onClose={() => setHelp(false)} />}
      <p class={news === '' ? 'news' : 'news shown'} role="status">
        {news}
      </p>
    </AppContext.Provider>
  );
}

function startOf(outline: Outline, facts: PageFacts): State {
  return {
    measure: facts.measure,
    stack: knownStack(facts.stack, outline),
    filter: NO_FILTER,
    tab: 'flame',
    zoom: [],
    search: '',
    upward: false,
    period: 'day',
    focus: undefined,
    session: '',
    theme: 'auto',
  };
}

function knownOf({ measures, kinds }: Outline) {
  return { measures: measures.map(measure => measure.name), kinds };
}

function useGround(theme: State['theme']): Ground {
  const dark = useMemo(() => matchMedia('(prefers-color-scheme: dark)'), []);
  const [system, setSystem] = useState(dark.matches);
  useEffect(() => {
    const follow = () => setSystem(dark.matches);
    dark.addEventListener('change', follow);
    return () => dark.removeEventListener('change', follow);
  }, []);
  const ground = theme === 'auto' ? (system ? 'dark' : 'light') : theme;
  document.documentElement.dataset.ground = ground;
  return ground;
}
