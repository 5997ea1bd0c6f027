import type { RefObject } from 'preact';
import { displayText } from '../formats/names.ts';
import { exactly, share } from '../formats/units.ts';
import { VIEWS } from '../profile/views.ts';
import { useApp } from './app-context.tsx';
import { ExportMenu } from './export-menu.tsx';
import { knownStack } from './first-view.ts';
import type { Flame } from './flame.ts';
import type { Found } from './found.ts';
import { inFull, inWords } from './words.ts';

interface HeaderProps {
  /** The exact sum of the measure. */
  readonly total: bigint;
  readonly flame: Flame | undefined;
  readonly zoomed: number;
  readonly found: Found;
  readonly searchBox: RefObject<HTMLInputElement | null>;
  readonly onHelp: () => void;
}

const THEMES = ['auto', 'light', 'dark'] as const;

/** The total of the current measure, in words and exact, what was selected, and the tools of the whole page. */
export function Header({ total, flame, zoomed, found, searchBox, onHelp }: HeaderProps) {
  const { outline, measure, facts, state, start, change, say, language } = useApp();
  const view = VIEWS.find(
    each => each.measure === state.measure && knownStack(each.stack, outline).join() === state.stack.join(),
  );
  const choose = (name: string) => {
    const chosen = VIEWS.find(each => each.name === name);
    if (chosen) change({ measure: chosen.measure, stack: knownStack(chosen.stack, outline), zoom: [] });
    else change({ measure: start.measure, stack: start.stack, zoom: [] });
  };
  const theme = THEMES[(THEMES.indexOf(state.theme) + 1) % THEMES.length] as (typeof THEMES)[number];
  return (
    <header>
      <div class="said">
        <h1>{inWords(total, measure, language)}</h1>
        <p>
          <span id="total" data-exact={total.toString()}>
            {inFull(total, measure, language)}
          </span>{' '}
          · {displayText(facts.subtitle)}
        </p>
      </div>
      <div class="tools">
        <label class="choice">
          <span>{say('views')}</span>
          <select value={view?.name ?? ''} onChange={event => choose(event.currentTarget.value)} id="view">
            <option value="">{say('ownView')}</option>
            {VIEWS.map(each => (
              <option key={each.name} value={each.name}>
                {each.name}
              </option>
            ))}
          </select>
        </label>
        <div class="search">
          <input
            ref={searchBox}
            id="search"
            type="search"
            placeholder={`${say('searchShort')}  /`}
            aria-label={say('search')}
            aria-invalid={found.bad}
            value={state.search}
            spellcheck={false}
            autocomplete="off"
            onInput={event => change({ search: event.currentTarget.value })}
            onKeyDown={event => {
              if (event.key !== 'Escape') return;
              change({ search: '' });
              event.currentTarget.blur();
              event.stopPropagation();
            }}
          />
          <output id="found">
            {state.search.trim() === ''
              ? ''
              : found.bad
                ? say('badPattern')
                : found.nodes === 0
                  ? say('noMatch')
                  : say('matched', { share: share(found.total, total), n: exactly(BigInt(found.nodes), 'count') })}
          </output>
        </div>
        {flame && <ExportMenu flame={flame} zoomed={zoomed} />}
        <button
          type="button"
          class="icon"
          id="theme"
          title={say('theme', { theme: say(state.theme) })}
          aria-label={say('theme', { theme: say(state.theme) })}
          onClick={() => change({ theme })}
        >
          {state.theme === 'auto' ? '◐' : state.theme === 'dark' ? '●' : '○'}
        </button>
        <button type="button" class="icon" id="help" title={say('help')} aria-label={say('help')} onClick={onHelp}>
          ?
        </button>
      </div>
    </header>
  );
}
