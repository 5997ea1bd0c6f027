import { useMemo } from 'preact/hooks';
import { displayText, foldedName } from '../formats/names.ts';
import { exactly, share, words } from '../formats/units.ts';
import { useApp, useModel } from './app-context.tsx';
import { type Flame, pathTo } from './flame.ts';
import { sumsOf, underPath } from './under.ts';
import { useSoon } from './use-soon.tsx';
import { inFull, measureName } from './words.ts';

interface DetailsProps {
  readonly flame: Flame;
  readonly mask: Uint8Array;
  readonly node: number;
  /** The exact sum of each measure over everything. */
  readonly all: readonly bigint[];
}

/** So many cells are added up within a frame. */
const LIGHT = 20_000;

/** The zoomed frame in numbers: every measure under it, and the ways on from it. */
export function Details({ flame, mask, node, all }: DetailsProps) {
  const { state, measure, change, say, language, announce } = useApp();
  const model = useModel();
  const path = useMemo(() => pathTo(flame, node), [flame, node]);
  const sums = useSoon(() => sumsOf(model, underPath(model, state.stack, mask, path)), model.cells.length < LIGHT, [
    model,
    state.stack,
    mask,
    path,
  ]);
  const frame = flame.frames[flame.frame[node] as number] as { kind: string; value: string };
  const total = flame.exactTotal(node);
  const self = flame.exactSelf(node);
  const parent = flame.parent[node] as number;
  const command = `agentpprof explain ${quoted(path.map(each => foldedName(flame.frames[each] as typeof frame)).join(';'))} --stack ${state.stack.join(',')}`;
  return (
    <aside class="details" id="details" aria-label={say('details')}>
      <button type="button" class="icon close" aria-label={say('close')} onClick={() => change({ zoom: [] })}>
        ×
      </button>
      <small>{displayText(frame.kind)}</small>
      <h2 dir="auto">{displayText(frame.value).slice(0, 400)}</h2>
      <p class="big">
        {words(total, measure.unit)} <span>{share(total, flame.exactTotal(0))}</span>
      </p>
      <p>{inFull(total, measure, language)}</p>
      {self !== 0n && self !== total && <p>{say('selfOnly', { value: exactly(self, measure.unit) })}</p>}
      {parent !== 0 && (
        <p>
          {say('ofParent', {
            share: share(total, flame.exactTotal(parent)),
            frame: displayText((flame.frames[flame.frame[parent] as number] as typeof frame).value).slice(0, 60),
          })}
        </p>
      )}
      <table>
        <tbody>
          {model.cells.measures.map((each, at) =>
            !sums || sums[at] === 0n ? null : (
              <tr key={each.name} class={each.name === state.measure ? 'on' : ''}>
                <th scope="row">{measureName(each.name, language)}</th>
                <td>{words(sums[at] as bigint, each.unit)}</td>
                <td>{share(sums[at] as bigint, all[at] as bigint)}</td>
              </tr>
            ),
          )}
        </tbody>
      </table>
      <div class="ways">
        <button type="button" onClick={() => change({ tab: 'sandwich', focus: frame })}>
          {say('openSandwich')}
        </button>
        <button type="button" onClick={() => change({ tab: 'sessions' })}>
          {say('openSessions')}
        </button>
        <button
          type="button"
          onClick={() =>
            navigator.clipboard?.writeText(command).then(
              () => announce(say('copied')),
              () => announce(command),
            )
          }
        >
          {say('copyExplain')}
        </button>
      </div>
    </aside>
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
