import { useMemo, useState } from 'preact/hooks';
import { displayText } from '../formats/names.ts';
import { exactly, share, words } from '../formats/units.ts';
import { useApp } from './app-context.tsx';
import { swatchOf } from './colours.ts';
import type { Flame } from './flame.ts';
import type { Found } from './found.ts';
import { type Rank, ranksOf } from './ranks.ts';

const MOST = 500;
type Column = 'frame' | 'kind' | 'self' | 'total';

/** Every frame below the zoomed one with self and total, as pprof's top. */
export function TableView({ flame, zoomed, found }: { flame: Flame; zoomed: number; found: Found }) {
  const { measure, change, say, ground } = useApp();
  const [wanted, setWanted] = useState('');
  const [sort, setSort] = useState<{ column: Column; up: boolean }>({ column: 'total', up: false });
  const ranks = useMemo(() => ranksOf(flame, zoomed), [flame, zoomed]);
  const whole = flame.exactTotal(0);
  const rows = useMemo(() => {
    const text = wanted.toLowerCase();
    const kept = ranks.filter(({ frame }) => {
      const { kind, value } = flame.frames[frame] as { kind: string; value: string };
      return (
        (!found.hits || found.hits[frame] === 1) && (text === '' || `${kind}:${value}`.toLowerCase().includes(text))
      );
    });
    const value = (frame: number) => (flame.frames[frame] as { value: string }).value;
    const compare = (a: Rank, b: Rank): number => {
      if (sort.column === 'kind') return a.frame - b.frame;
      if (sort.column === 'frame')
        return value(a.frame) < value(b.frame) ? -1 : value(a.frame) > value(b.frame) ? 1 : 0;
      return a[sort.column] < b[sort.column] ? -1 : a[sort.column] > b[sort.column] ? 1 : 0;
    };
    // Equal rows stay in the order of names, whichever way the column goes.
    return kept.sort((a, b) => (sort.up ? compare(a, b) : compare(b, a)) || a.frame - b.frame);
  }, [ranks, wanted, sort, found]);
  const head = (column: Column) => (
    <th scope="col" aria-sort={sort.column === column ? (sort.up ? 'ascending' : 'descending') : 'none'} class={column}>
      <button
        type="button"
        onClick={() =>
          setSort({ column, up: sort.column === column ? !sort.up : column === 'frame' || column === 'kind' })
        }
      >
        {say(column)} {sort.column === column ? (sort.up ? '▲' : '▼') : ''}
      </button>
    </th>
  );
  return (
    <div class="ranks">
      <p>
        <input
          id="filter-table"
          type="search"
          placeholder={say('filterTable')}
          aria-label={say('filterTable')}
          value={wanted}
          onInput={event => setWanted(event.currentTarget.value)}
        />
        <span>{say('rows', { n: exactly(BigInt(rows.length), 'count') })}</span>
      </p>
      <table id="ranks">
        <thead>
          <tr>
            {head('kind')}
            {head('frame')}
            {head('total')}
            <th scope="col" class="bar">
              {say('shareOf')}
            </th>
            {head('self')}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MOST).map(({ frame, total, self }) => {
            const { kind, value } = flame.frames[frame] as { kind: string; value: string };
            return (
              <tr key={frame}>
                <td class="kind">
                  <s style={{ background: swatchOf(kind, ground) }} />
                  {displayText(kind)}
                </td>
                <td class="frame">
                  <button
                    type="button"
                    class="link"
                    dir="auto"
                    onClick={() => change({ tab: 'sandwich', focus: { kind, value } })}
                  >
                    {displayText(value).slice(0, 200)}
                  </button>
                </td>
                <td class="number" title={exactly(total, measure.unit)} data-exact={total.toString()}>
                  {words(total, measure.unit)}
                </td>
                <td class="bar">
                  <b
                    style={{ width: `${(100 * Number(total)) / Number(whole)}%`, background: swatchOf(kind, ground) }}
                  />
                  <span>{share(total, whole)}</span>
                </td>
                <td class="number" title={exactly(self, measure.unit)} data-exact={self.toString()}>
                  {self === 0n ? '' : words(self, measure.unit)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {rows.length > MOST && <p>{say('moreRows', { n: exactly(BigInt(rows.length - MOST), 'count') })}</p>}
    </div>
  );
}
