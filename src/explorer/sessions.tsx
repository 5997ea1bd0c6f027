import { Fragment } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { displayText } from '../formats/names.ts';
import { share, words } from '../formats/units.ts';
import type { Frame } from '../profile/profile.ts';
import type { Timeline } from '../profile/timelines.ts';
import { useApp, useModel } from './app-context.tsx';
import { Evidence, ServedOperations, saidBy } from './operations.tsx';
import { askTimeline } from './served.ts';
import { evidenceUnder, sumsBy, underPath } from './under.ts';
import { Waterfall } from './waterfall.tsx';

const MOST = 300;

/** The sessions under the zoomed frame; each leads to its operations, and to what ran in it when. */
export function Sessions({ mask, path }: { mask: Uint8Array; path: readonly number[] }) {
  const { facts, state, change, measure, say, timelines } = useApp();
  const model = useModel();
  const [open, setOpen] = useState<number>();
  const under = useMemo(() => underPath(model, state.stack, mask, path), [model, state.stack, mask, path.join()]);
  const sums = useMemo(
    () =>
      [...sumsBy(model, 'session', state.measure, under)].filter(([code]) => code !== 0).sort((a, b) => b[1] - a[1]),
    [under, state.measure],
  );
  const evidence = useMemo(() => evidenceUnder(model, under), [under]);
  const kept = useMemo(() => new Set(timelines().kept.flatMap(timeline => timeline.sessions)), []);
  const sessions = model.dimensions.get('session');
  if (state.session !== '') return <OverTime session={state.session} />;
  if (!sessions || sums.length === 0) return <p class="empty">{say('noSessions')}</p>;
  const firstCell = new Map<number, number>();
  sessions.codes.forEach((code, cell) => {
    if (!firstCell.has(code)) firstCell.set(code, cell);
  });
  const whole = sums.reduce((sum, [, value]) => sum + value, 0);
  const scaled = (value: number) => BigInt(Math.round(measure.name === 'cost' ? value / 1000 : value));
  const of = (name: string, code: number) => saidBy(model, name, firstCell.get(code) ?? 0);
  const frames = path.map(frame => model.frames[frame] as Frame);
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
            <th scope="col" class="over" />
          </tr>
        </thead>
        <tbody>
          {sums.slice(0, MOST).map(([code, value]) => {
            const name = sessions.values[code] as string;
            return (
              <Fragment key={code}>
                <tr class={open === code ? 'open' : ''}>
                  <td>
                    <button
                      type="button"
                      class="link"
                      aria-expanded={open === code}
                      onClick={() => setOpen(open === code ? undefined : code)}
                    >
                      {open === code ? '▾' : '▸'} {displayText(name)}
                    </button>
                  </td>
                  <td>{of('agent', code)}</td>
                  <td>
                    <bdi>{of('project', code)}</bdi>
                  </td>
                  <td>{of('day', code)}</td>
                  <td class="number">{words(scaled(value), measure.unit)}</td>
                  <td class="number">{share(BigInt(Math.round(value)), BigInt(Math.round(whole)))}</td>
                  <td class="over">
                    {(facts.served || kept.has(name)) && (
                      <button
                        type="button"
                        class="link"
                        data-waterfall={name}
                        onClick={() => change({ session: name })}
                      >
                        {say('overTime')}
                      </button>
                    )}
                  </td>
                </tr>
                {open === code && (
                  <tr class="evidence">
                    <td colSpan={7}>
                      {facts.served ? (
                        <ServedOperations path={frames} session={name} />
                      ) : (
                        <Evidence
                          at={evidence.filter(at => sessions.codes[model.cells.evidence.cell[at] as number] === code)}
                        />
                      )}
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
      {sums.length > MOST && <p>{say('moreRows', { n: sums.length - MOST })}</p>}
      {!facts.served && <p class="note">{say('evidenceNote')}</p>}
    </div>
  );
}

/** The waterfall of a session: from the page, or from the server behind it, which knows every session. */
function OverTime({ session }: { session: string }) {
  const { facts, change, say, timelines } = useApp();
  const [served, setServed] = useState<Timeline | undefined>();
  const [trouble, setTrouble] = useState('');
  useEffect(() => {
    let gone = false;
    setServed(undefined);
    setTrouble('');
    if (facts.served)
      askTimeline(location.pathname, session).then(
        timeline => !gone && setServed(timeline),
        error => !gone && setTrouble(error instanceof Error ? error.message : String(error)),
      );
    return () => {
      gone = true;
    };
  }, [session]);
  const close = () => change({ session: '' });
  const kept = timelines().kept.find(timeline => timeline.sessions.includes(session));
  const timeline = served ?? (facts.served && trouble === '' ? undefined : kept);
  if (timeline) return <Waterfall key={timeline.sessions[0] ?? ''} timeline={timeline} onClose={close} />;
  return (
    <div class="empty">
      <p>
        {facts.served && trouble === ''
          ? say('reading')
          : trouble !== ''
            ? say('notServed', { why: trouble })
            : say('notKept', { n: timelines().kept.length })}
      </p>
      <button type="button" class="link" id="waterfall-back" onClick={close}>
        ‹ {say('sessions')}
      </button>
    </div>
  );
}
