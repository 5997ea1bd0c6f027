import { words } from '../formats/units.ts';
import { useApp } from './app-context.tsx';
import { measureName } from './words.ts';

/** In the order of what people ask for first; the kinds of tokens follow. */
const ORDER = ['tokens', 'cost', 'time', 'operations', 'files', 'network', 'errors'];

/** Every measure with its total; pressing one makes it the width. */
export function Cards({ sums }: { sums: readonly bigint[] }) {
  const { outline, state, change, say, language } = useApp();
  const measures = outline.measures.map((measure, at) => ({ measure, sum: sums[at] as bigint }));
  const rank = (name: string) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  measures.sort((a, b) => rank(a.measure.name) - rank(b.measure.name));
  return (
    <fieldset class="cards" aria-label={say('measures')}>
      {measures.map(({ measure, sum }) => (
        <button
          key={measure.name}
          type="button"
          aria-pressed={measure.name === state.measure}
          data-measure={measure.name}
          data-exact={sum.toString()}
          class={`card${measure.name === state.measure ? ' on' : ''}${sum === 0n ? ' zero' : ''}${ORDER.includes(measure.name) ? '' : ' minor'}`}
          onClick={() => change({ measure: measure.name })}
        >
          <span>{measureName(measure.name, language)}</span>
          <b>{words(sum, measure.unit)}</b>
        </button>
      ))}
    </fieldset>
  );
}
