import { useEffect } from 'preact/hooks';
import type { App } from './app-context.tsx';
import { TABS } from './state.ts';

interface Actions {
  readonly search: () => void;
  readonly help: () => void;
  readonly helpShown: boolean;
}

/** Keys that work everywhere but in text fields. */
export function useKeys(app: App, actions: Actions): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      const writing =
        /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && (target as HTMLInputElement).type !== 'checkbox';
      if (event.key === 'Escape' && !writing && back(app, actions)) return event.preventDefault();
      if (writing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (press(app, actions, event.key)) event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}

/** One step back: the help, an open menu, the search, the zoom. */
function back({ state, change }: App, actions: Actions): boolean {
  const open = document.querySelector('details[open]');
  if (actions.helpShown) actions.help();
  else if (open) open.removeAttribute('open');
  else if (state.zoom.length > 0) change({ zoom: state.zoom.slice(0, -1) });
  else if (state.search !== '') change({ search: '' });
  else return false;
  return true;
}

function press(app: App, actions: Actions, key: string): boolean {
  const { state, change, outline } = app;
  switch (key) {
    case '/':
      actions.search();
      return true;
    case '?':
      actions.help();
      return true;
    case 'Backspace':
      return back(app, actions);
    case 'Home':
      change({ zoom: [] });
      return true;
    case 'i':
      change({ upward: !state.upward });
      return true;
    case 'm':
    case 'M': {
      const names = outline.measures.map(measure => measure.name);
      const at = names.indexOf(state.measure) + (key === 'm' ? 1 : names.length - 1);
      change({ measure: names[at % names.length] as string });
      return true;
    }
    default: {
      const tab = TABS[Number(key) - 1];
      if (!tab) return false;
      change({ tab });
      return true;
    }
  }
}
