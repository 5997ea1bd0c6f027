import { useEffect, useState } from 'preact/hooks';
import { displayText } from '../formats/names.ts';
import { exactly } from '../formats/units.ts';
import type { Frame } from '../profile/profile.ts';
import { useApp, useModel } from './app-context.tsx';
import { dayTime } from './day-time.ts';
import type { Model } from './model.ts';
import { askOperations, operationsQuery, type ServedOperation } from './served.ts';

const MOST = 300;
const SAID = ['prompt', 'call', 'model', 'tool', 'command', 'effect', 'file', 'domain', 'status', 'error'];

/** The operations of a session under the zoomed frame that the page keeps as evidence, by their positions. */
export function Evidence({ at }: { at: readonly number[] }) {
  const { facts, say } = useApp();
  const model = useModel();
  const { evidence } = model.cells;
  const inOrder = [...at].sort((a, b) => (evidence.start[a] as number) - (evidence.start[b] as number)).slice(0, MOST);
  const operations = inOrder.map((each): Omit<ServedOperation, 'session'> => {
    const cell = evidence.cell[each] as number;
    return {
      start: evidence.start[each] as number,
      what: SAID.map(name => saidBy(model, name, cell)).filter(value => value !== ''),
      file: evidence.file[each] as number,
      offset: evidence.offset[each] as number,
      bytes: evidence.bytes[each] as number,
      preview: facts.previews[each] ?? '',
    };
  });
  return (
    <>
      <p>{say('evidence', { n: at.length })}</p>
      <Operations operations={operations} />
    </>
  );
}

/** All operations of a session under the zoomed frame, from the server, a part at a time. */
export function ServedOperations({ path, session }: { path: readonly Frame[]; session: string }) {
  const { state, say } = useApp();
  const [shown, setShown] = useState<readonly ServedOperation[]>([]);
  const [total, setTotal] = useState(-1);
  const [trouble, setTrouble] = useState('');
  const more = (offset: number, gone: () => boolean) => {
    askOperations(location.pathname, operationsQuery(state, path, session, offset)).then(
      answer => {
        if (gone()) return;
        setShown(before => [...before.slice(0, offset), ...answer.operations]);
        setTotal(answer.total);
        setTrouble('');
      },
      error => !gone() && setTrouble(error instanceof Error ? error.message : String(error)),
    );
  };
  const query = operationsQuery(state, path, session, 0);
  useEffect(() => {
    let gone = false;
    more(0, () => gone);
    return () => {
      gone = true;
    };
  }, [query]);
  if (trouble !== '') return <p>{say('notServed', { why: trouble })}</p>;
  if (total < 0) return <p>{say('reading')}</p>;
  return (
    <>
      <p id="served" data-exact={total}>
        {say('allOperations', { n: exactly(BigInt(total), 'count') })}
      </p>
      <Operations operations={shown} />
      {shown.length < total && (
        <button type="button" class="more" id="more-operations" onClick={() => more(shown.length, () => false)}>
          {say('moreOperations', { n: exactly(BigInt(total - shown.length), 'count') })}
        </button>
      )}
    </>
  );
}

function Operations({ operations }: { operations: readonly Omit<ServedOperation, 'session'>[] }) {
  return (
    <ul>
      {operations.map(({ start, what, file, offset, bytes, preview }, at) => (
        <li key={at}>
          <time>{start === 0 ? '' : dayTime(start)}</time>
          <span class="what" dir="auto">
            {displayText(what.join(' · ')).slice(0, 400)}
          </span>
          <code>{`#${file} @${offset} +${bytes}`}</code>
          {preview && <q dir="auto">{displayText(preview)}</q>}
        </li>
      ))}
    </ul>
  );
}

/** What a cell says in a dimension. */
export function saidBy(model: Model, name: string, cell: number): string {
  const dimension = model.dimensions.get(name);
  if (!dimension) return '';
  const value = dimension.values[dimension.codes[cell] as number] as string;
  return displayText(value.replaceAll('\u001f', ' › ')).slice(0, 160);
}
