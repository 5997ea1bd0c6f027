import { displayText } from '../formats/names.ts';
import { useApp } from './app-context.tsx';
import { NO_FILTER } from './project.ts';

/** By date, and by the values of a few dimensions. */
export function Filters() {
  const { model, outline, state, change, say } = useApp();
  const { filter } = state;
  const set = (part: Partial<typeof filter>) => change({ filter: { ...filter, ...part }, zoom: [] });
  const toggle = (name: string, value: string) => {
    const before = filter.only[name] ?? [];
    const after = before.includes(value) ? before.filter(each => each !== value) : [...before, value];
    const { [name]: _, ...rest } = filter.only;
    set({ only: after.length > 0 ? { ...rest, [name]: after } : rest });
  };
  const [first, last] = outline.days;
  const narrowed = filter.from !== '' || filter.to !== '' || Object.keys(filter.only).length > 0;
  return (
    <fieldset class="filters" aria-label={say('filters')}>
      {first !== last && (
        <>
          <input
            type="date"
            id="from"
            aria-label={say('from')}
            title={say('from')}
            min={first}
            max={last}
            value={filter.from}
            onChange={event => set({ from: event.currentTarget.value })}
          />
          <span aria-hidden="true">–</span>
          <input
            type="date"
            id="to"
            aria-label={say('to')}
            title={say('to')}
            min={first}
            max={last}
            value={filter.to}
            onChange={event => set({ to: event.currentTarget.value })}
          />
        </>
      )}
      {outline.filtered.map(name => {
        const values = model?.dimensions.get(name)?.values ?? [];
        const chosen = filter.only[name] ?? [];
        return (
          <details key={name} class="menu" data-filter={name}>
            <summary class={chosen.length > 0 ? 'on' : ''}>
              {name}
              {chosen.length === 0
                ? ''
                : `: ${chosen.length === 1 ? displayText(chosen[0] || say('none')).slice(0, 24) : chosen.length}`}
            </summary>
            <div class="list">
              {values.map(value => (
                <label key={value}>
                  <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(name, value)} />
                  <span class="value" dir="auto">
                    {value === '' ? say('none') : displayText(value).slice(0, 120)}
                  </span>
                </label>
              ))}
            </div>
          </details>
        );
      })}
      {narrowed && (
        <button type="button" class="link" id="clear-filters" onClick={() => change({ filter: NO_FILTER })}>
          {say('clear')}
        </button>
      )}
    </fieldset>
  );
}
