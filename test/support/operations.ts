import type { RowField } from '../../src/trace/fields.ts';
import { ROW_FIELDS } from '../../src/trace/fields.ts';
import { Flag } from '../../src/trace/flags.ts';
import { hashKey } from '../../src/trace/keys.ts';
import { Kind, NO_ROW } from '../../src/trace/kinds.ts';
import { Operations } from '../../src/trace/operations.ts';
import { Texts } from '../../src/trace/texts.ts';

/**
 * Operations as text, one a line, so that a case is seen at a glance:
 *
 *     session s1                       (agent=... parent=... spawn=CALL_ID sub=TYPE project=...)
 *       prompt 0    "fix it" #u1
 *       call   0-3  opus in=10 cr=2 out=5 #m1
 *       tool   3-5  Bash status=error args=ls #t1
 *       effect read src/a.ts
 *       event  5    notification opens
 *
 * Times are seconds (fractions allowed) after 2026-11-01T00:00:00Z. `#id` is the dedupe key. A tool belongs to the
 * last call above it, an effect to the last tool; `at=N` sets the file number of a session's rows. Other words are
 * `name=value`: token kinds (in, cr, cw, cw1, out, rea), row fields, free fields, or flags by their name.
 */
export const EPOCH = Date.UTC(2026, 10, 1) * 1000;

const TOKENS: Record<
  string,
  | 'input_tokens'
  | 'cache_read_tokens'
  | 'cache_write_5m_tokens'
  | 'cache_write_1h_tokens'
  | 'output_tokens'
  | 'reasoning_tokens'
> = {
  in: 'input_tokens',
  cr: 'cache_read_tokens',
  cw: 'cache_write_5m_tokens',
  cw1: 'cache_write_1h_tokens',
  out: 'output_tokens',
  rea: 'reasoning_tokens',
};

export function operationsOf(text: string): Operations {
  const ops = new Operations(new Texts(['prompt', 'call', 'command', 'result']));
  let session = -1;
  let file = 0;
  let call = NO_ROW;
  let tool = NO_ROW;
  let line = 0;
  for (const raw of text.split('\n')) {
    line++;
    const words = raw.trim().match(/"[^"]*"|\S+/g);
    if (!words || raw.trim().startsWith('//')) continue;
    const [kind, ...rest] = words as [string, ...string[]];
    if (kind === 'session') {
      const options = new Map(rest.slice(1).map(word => word.split('=') as [string, string]));
      file = Number(options.get('at') ?? 0);
      session = ops.sessions.of(options.get('agent') ?? 'claude-code', rest[0] as string, file);
      const made = ops.sessions.all[session]!;
      if (options.has('parent')) made.parent = options.get('parent')!;
      if (options.has('spawn')) made.spawnCall = options.get('spawn')!;
      if (options.has('task')) made.spawnPrompt = hashKey(options.get('task')!);
      if (options.has('sub')) made.subagent = options.get('sub')!;
      if (options.has('project')) made.project = options.get('project')!;
      call = tool = NO_ROW;
      continue;
    }
    const number = Kind[kind as keyof typeof Kind];
    if (number === undefined || session < 0) throw new Error(`line ${line}: ${raw}`);
    const parent = kind === 'tool' ? call : kind === 'effect' ? tool : NO_ROW;
    const row = ops.add(number, session, parent, 0, file, line * 100, 50);
    if (kind === 'call') call = row;
    if (kind === 'tool') tool = row;
    if (kind === 'effect') {
      ops.start.set(row, ops.start.get(tool));
      ops.end.set(row, ops.start.get(tool));
      const [effect, what] = rest.splice(0, 2);
      if (effect === 'contact') ops.field.domain.set(row, what ?? '');
      else {
        ops.field.effect.set(row, effect ?? '');
        ops.field.file.set(row, what ?? '');
      }
    }
    for (const word of rest) apply(ops, row, kind, word);
  }
  return ops;
}

function apply(ops: Operations, row: number, kind: string, word: string): void {
  const time = /^(\d+(?:\.\d+)?)(?:-(\d+(?:\.\d+)?))?$/.exec(word);
  const pair = /^([\w-]+)=(.*)$/.exec(word);
  if (word.startsWith('"')) ops.texts.put(kind === 'prompt' ? 'prompt' : 'call', row, word.slice(1, -1));
  else if (word.startsWith('#')) ops.setKey(row, word.slice(1));
  else if (time) {
    ops.start.set(row, EPOCH + Math.round(Number(time[1]) * 1e6));
    ops.end.set(row, EPOCH + Math.round(Number(time[2] ?? time[1]) * 1e6));
  } else if (pair) {
    const [, name, value] = pair as unknown as [string, string, string];
    if (TOKENS[name]) ops.tokens[TOKENS[name]].set(row, Number(value));
    else if (name === 'args') ops.setArgs(row, value);
    else if (name === 'spawned') ops.spawnedId.set(row, value);
    else if (name === 'task') ops.setSpawnPrompt(row, value);
    else if ((ROW_FIELDS as readonly string[]).includes(name)) ops.field[name as RowField].set(row, value);
    else ops.freeField(name).set(row, value);
  } else if (word === 'opens') ops.flag(row, Flag.opensTurn);
  else if (word in Flag) ops.flag(row, Flag[word as keyof typeof Flag]);
  else if (kind === 'call') ops.field.model.set(row, word);
  else if (kind === 'tool') ops.field.tool.set(row, word);
  else if (kind === 'event') ops.field.event.set(row, word);
  else throw new Error(`what is ${word}?`);
}
