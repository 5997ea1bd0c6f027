import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { PageFacts } from '../formats/cells-code.ts';
import { type App, AppContext } from './app-context.tsx';
import { Cards } from './cards.tsx';
import type { Ground } from './colours.ts';
import { Filters } from './filters.tsx';
import { type Flame, nodeAt } from './flame.ts';
import { find } from './found.ts';
import { Header } from './header.tsx';
import { Help } from './help.tsx';
import { useKeys } from './keys.tsx';
import { MainPart } from './main-part.tsx';
import type { Model } from './model.ts';
import { filterMask, NO_FILTER, project } from './project.ts';
import { StackBar } from './stack-bar.tsx';
import { fragmentOf, type State, stateOf } from './state.ts';
import { Timeline } from './timeline.tsx';
import { type Language, sayIn } from './words.ts';

export function Explorer({ model, facts, language }: { model: Model; facts: PageFacts; language: Language }) {
  const start = useMemo(() => startOf(model, facts), [model, facts]);
  const [state, setState] = useState<State>(() => stateOf(location.hash, start, knownOf(model)));
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
    const follow = () => setState(stateOf(location.hash, start, knownOf(model)));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const timer = useRef(0);
  const announce = (text: string) => {
    setNews(text);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setNews(''), 4000);
  };

  const mask = useMemo(() => filterMask(model, state.filter), [model, state.filter]);
  const flame = useMemo(
    () => project(model, state.stack, state.measure, mask),
    [model, state.stack, state.measure, mask],
  );
  const zoomed = useMemo(() => zoomedIn(model, flame, state), [flame, state.zoom]);
  const found = useMemo(() => find(flame, state.search), [flame, state.search]);
  const searchBox = useRef<HTMLInputElement>(null);
  const app: App = { model, facts, state, start, change, say, language, ground, announce };
  useKeys(app, { search: () => searchBox.current?.focus(), help: () => setHelp(shown => !shown), helpShown: help });

  return (
    <AppContext.Provider value={app}>
      <Header
        flame={flame}
        mask={mask}
        zoomed={zoomed}
        found={found}
        searchBox={searchBox}
        onHelp={() => setHelp(true)}
      />
      <Cards mask={mask} />
      <div class="bars">
        <StackBar />
        <Filters />
      </div>
      <Timeline mask={mask} />
      <MainPart flame={flame} mask={mask} zoomed={zoomed} found={found} />
      {help && <Help onClose={() => setHelp(false)} />}
      <p class={news === '' ? 'news' : 'news shown'} role="status">
        {news}
      </p>
    </AppContext.Provider>
  );
}

function startOf(model: Model, facts: PageFacts): State {
  const stack = facts.stack.filter(name => model.kinds.includes(name));
  return {
    measure: facts.measure,
    stack: stack.length > 0 ? stack : model.kinds.slice(0, 1),
    filter: NO_FILTER,
    tab: 'flame',
    zoom: [],
    search: '',
    upward: false,
    period: 'day',
    focus: undefined,
    theme: 'auto',
  };
}

function knownOf(model: Model) {
  return { measures: model.cells.measures.map(measure => measure.name), kinds: model.kinds };
}

function zoomedIn(model: Model, flame: Flame, state: State): number {
  const path: number[] = [];
  for (const frame of state.zoom) {
    const id = model.frameId(frame.kind, frame.value);
    if (id === undefined) break;
    path.push(id);
  }
  return nodeAt(flame, path);
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
