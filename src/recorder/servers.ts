import { firstExecs, firstTime } from './candidates.ts';
import { matchCommand } from './command-match.ts';
import type { RecordedCall } from './links.ts';
import type { ProcessRecord } from './summary.ts';

/**
 * The process of each server of tools: a program below the agent that ran before the first call to the server and until
 * after the last, and that names it. Where one server alone was called and one such program alone ran, that is it, whatever
 * it is called. A server that cannot be told is left out.
 */
export function serversOf(agent: ProcessRecord, calls: readonly RecordedCall[]): Map<string, string> {
  const asked = new Map<string, { first: number; last: number }>();
  for (const { server, start_ns, end_ns } of calls) {
    if (server === undefined) continue;
    const span = asked.get(server) ?? { first: start_ns, last: 0 };
    span.first = Math.min(span.first, start_ns);
    span.last = Math.max(span.last, end_ns ?? start_ns);
    asked.set(server, span);
  }
  const found = new Map<string, string>();
  if (asked.size === 0) return found;
  const commands = calls.flatMap(({ command }) => (command === undefined ? [] : [command]));
  const programs = firstExecs(agent).filter(
    ({ images }) => !commands.some(command => matchCommand(command, images[0]!.argv, images[0]!.argv_truncated)),
  );
  for (const [name, { first, last }] of asked) {
    const living = programs.filter(
      program => firstTime(program) <= first && (program.ended_ns ?? Number.POSITIVE_INFINITY) >= last,
    );
    const named = living.filter(({ images }) => images.some(({ argv }) => names(argv, name)));
    const candidates = named.length > 0 ? named : asked.size === 1 ? living : [];
    if (candidates.length === 1) found.set(name, candidates[0]!.key);
  }
  return found;
}

/** `my-server`, `my_server` and `My Server` are one name. */
const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ');

const names = (argv: readonly string[], name: string): boolean =>
  ` ${plain(argv.join(' '))} `.includes(` ${plain(name).trim()} `);
