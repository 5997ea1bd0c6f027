import { useRef, useState } from 'preact/hooks';
import { useApp } from './app-context.tsx';
import { swatchOf } from './colours.ts';

/** The frames of the stack as chips: drag or Alt and arrows to reorder, × or Delete to drop, a list to add. */
export function StackBar() {
  const { outline, state, start, change, say, ground, announce } = useApp();
  const list = useRef<HTMLUListElement>(null);
  const [drag, setDrag] = useState<{ readonly name: string; readonly order: readonly string[] }>();
  const shown = drag?.order ?? state.stack;
  const set = (stack: readonly string[]) => change({ stack, zoom: [] });
  const drop = (name: string) => {
    if (state.stack.length > 1) set(state.stack.filter(each => each !== name));
  };
  const move = (name: string, by: number) => {
    const from = state.stack.indexOf(name);
    const to = from + by;
    if (to < 0 || to >= state.stack.length) return;
    set(moved(state.stack, from, to));
    announce(say('moved', { frame: name, n: to + 1 }));
  };
  /** Where the pointer is among the chips; their middles part the places. */
  const placeAt = (x: number, y: number): number => {
    const chips = [...(list.current as HTMLUListElement).children].filter(element =>
      element.classList.contains('chip'),
    );
    const at = chips.findIndex(element => {
      const box = element.getBoundingClientRect();
      return y < box.top || (y <= box.bottom && x < box.left + box.width / 2);
    });
    return at < 0 ? chips.length : at;
  };
  const dragTo = (event: PointerEvent) => {
    if (!drag) return;
    const from = drag.order.indexOf(drag.name);
    const place = placeAt(event.clientX, event.clientY);
    const to = place > from ? place - 1 : place;
    if (to !== from) setDrag({ name: drag.name, order: moved(drag.order, from, to) });
  };
  const onKey = (event: KeyboardEvent, name: string) => {
    const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (event.key === 'Delete') drop(name);
    else if (by !== 0 && (event.altKey || event.shiftKey)) move(name, by);
    else if (by !== 0) focusOf(list.current, state.stack[state.stack.indexOf(name) + by])?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const others = outline.kinds.filter(kind => !state.stack.includes(kind));
  return (
    <ul class="stack" ref={list} aria-label={say('stack')}>
      {shown.map((name, at) => (
        <li
          key={name}
          class={`chip${drag?.name === name ? ' dragged' : ''}`}
          data-frame={name}
          onPointerDown={event => {
            if (event.button !== 0 || (event.target as Element).closest('.drop')) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            setDrag({ name, order: state.stack });
          }}
          onPointerMove={dragTo}
          onPointerUp={() => {
            if (drag && drag.order.join() !== state.stack.join()) set(drag.order);
            setDrag(undefined);
          }}
          onPointerCancel={() => setDrag(undefined)}
        >
          {at > 0 && <i aria-hidden="true">›</i>}
          <button
            type="button"
            class="name"
            title={say('chipHint', { frame: name })}
            onKeyDown={event => onKey(event, name)}
          >
            <s style={{ background: swatchOf(name, ground) }} />
            {name}
          </button>
          {shown.length > 1 && (
            <button
              type="button"
              class="drop"
              aria-label={say('drop', { frame: name })}
              title={say('drop', { frame: name })}
              onClick={() => drop(name)}
            >
              ×
            </button>
          )}
        </li>
      ))}
      {others.length > 0 && (
        <li>
          <select
            id="add-frame"
            aria-label={say('addFrame')}
            value=""
            onChange={event => {
              if (event.currentTarget.value) set([...state.stack, event.currentTarget.value]);
              event.currentTarget.value = '';
            }}
          >
            <option value="">{say('addFrame')}</option>
            {others.map(name => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </li>
      )}
      {state.stack.join() !== start.stack.join() && (
        <li>
          <button type="button" class="link" onClick={() => set(start.stack)}>
            {say('resetStack')}
          </button>
        </li>
      )}
    </ul>
  );
}

function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = list.filter((_, at) => at !== from);
  rest.splice(to, 0, list[from] as T);
  return rest;
}

function focusOf(list: Element | null, name: string | undefined): HTMLElement | null {
  const chips = [...(list?.querySelectorAll<HTMLElement>('.chip') ?? [])];
  return chips.find(chip => chip.dataset.frame === name)?.querySelector('button') ?? null;
}
