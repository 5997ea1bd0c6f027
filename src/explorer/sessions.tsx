import { useMemo, useState } from 'preact/hooks';
import { displayText } from '../formats/names.ts';
import { share, words } from '../formats/units.ts';
import { useApp, useModel } from './app-context.tsx';
import type { Model } from './model.ts';
import { evidenceUnder, sumsBy, type Under, underPath } from './under.ts';

const MOST = 300;
const SAID = ['prompt', 'call', 'model', 'tool', 'command', 'effect', 'file', 'domain', 'status', 'error'];

/** The sessions under the zoomed frame, and under each the operations that were kept as evidence. */
export function Sessions({ mask, path }: { mask: Uint8Array; path: readonly number[] }) {
  const { state, measure, say } = useApp();
  const model = useModel();
  const [open, setOpen] = useState<number>();
  const under = useMemo(() => underPath(model, state.stack, mask, path), [model, state.stack, mask, path.join()]);
  const sums = useMemo(
    () =>
      [...sumsBy(model, 'session', state.measure, under)].filter(([code]) => code !== 0).sort((a, b) => b[1] - a[1]),
    [under, state.measure],
  );
  const evidence = useMemo(() => evidenceUnder(model, under), [under]);
  const sessions = model.dimensions.get('session');
  if (!sessions || sums.length === 0) return <p class="empty">{say('noSessions')}</p>;
  const firstCell = new Map<number, number>();
  sessions.codes.forEach((code, cell) => {
    if (!firstCell.has(code)) firstCell.set(code, cell);
  });
  const whole = sums.reduce((sum, [, value]) => sum + value, 0);
  const scaled = (value: number) => BigInt(Math.round(measure.name === 'cost' ? value / 1000 : value));
  const of = (name: string, code: number) => saidBy(model, name, firstCell.get(code) ?? 0);
  return (
    <div class="sessions">
      <table id="sessions">
        <thead>
          <tr>
            <th scope="col">{say('session')}</th>
            <th scope="col">{say('agent')}</th>
            <th scope="col">{say('project')}</th>
            <th scope="col">{say('first')}</th>
            <th scope="col" class="number">
              {say('total')}
            </th>
            <th scope="col" class="number">
              {say('shareOf')}
            </th>
          </tr>
        </thead>
        <tbody>
          {sums.slice(0, MOST).map(([code, value]) => (
            <>
              <tr key={code}>
                <td>
                  <button
                    type="button"
                    class="link"
                    aria-expanded={open === code}
                    onClick={() => setOpen(open === code ? undefined : code)}
                  >
                    {open === code ? '▾' : '▸'} {displayText(sessions.values[code] as string)}
                  </button>
                </td>
                <td>{of('agent', code)}</td>
                <td>{of('project', code)}</td>
                <td>{of('day', code)}</td>
                <td class="number">{words(scaled(value), measure.unit)}</td>
                <td class="number">{share(BigInt(Math.round(value)), BigInt(Math.round(whole)))}</td>
              </tr>
              {open === code && (
                <tr key={`${code} evidence`} class="evidence">
                  <td colSpan={6}>
                    <Evidence
                      at={evidence.filter(at => sessions.codes[model.cells.evidence.cell[at] as number] === code)}
                      under={under}
                      model={model}
                    />
                  </td>
                </tr>
              )}
            </>
          ))}
        </tbody>
      </table>
      {sums.length > MOST && <p>{say('moreRows', { n: sums.length - MOST })}</p>}
      <p class="note">{say('evidenceNote')}</p>
    </div>
  );
}

function saidBy(model: Model, name: string, cell: number): string {
  const dimension = model.dimensions.get(name);
  return dimension
    ? displayText((dimension.values[dimension.codes[cell] as number] as string).replaceAll('\u001f', ' › ')).slice(
        0,
        160,
      )
    : '';
}

function Evidence({ at, model }: { at: readonly number[]; under: Under; model: Model }) {
  const { facts, say } = useApp();
  const { evidence } = model.cells;
  const inOrder = [...at].sort((a, b) => (evidence.start[a] as number) - (evidence.start[b] as number)).slice(0, MOST);
  return (
    <>
      <p>{say('evidence', { n: at.length })}</p>
      <ul>
        {inOrder.map(each => {
          const cell = evidence.cell[each] as number;
          const start = evidence.start[each] as number;
          const preview = facts.previews[each];
          return (
            <li key={each}>
              <time>{start === 0 ? '' : timeOf(start)}</time>
              <span class="what" dir="auto">
                {SAID.map(name => saidBy(model, name, cell))
                  .filter(value => value !== '')
                  .join(' · ')}
              </span>
              <code>{`#${evidence.file[each]} @${evidence.offset[each]} +${evidence.bytes[each]}`}</code>
              {preview && <q dir="auto">{displayText(preview)}</q>}
            </li>
          );
        })}
      </ul>
    </>
  );
}

function timeOf(ms: number): string {
  const date = new Date(ms);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
