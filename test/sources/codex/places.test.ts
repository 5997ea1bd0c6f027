import { describe, expect, test } from 'vitest';
import { codexRoots, rolloutIdentity } from '../../../src/sources/codex/paths.ts';
import { codex } from '../../../src/sources/codex/reader.ts';

const ID = '019ed628-d563-7e40-bbb1-93a6a302d688';
const NAME = `rollout-2026-06-17T15-17-40-${ID}`;

describe('where histories lie', () => {
  test.each([
    [{}, ['/home/a/.codex/sessions', '/home/a/.codex/archived_sessions'], 'HOME/.codex/sessions'],
    [{ CODEX_HOME: '' }, ['/home/a/.codex/sessions', '/home/a/.codex/archived_sessions'], 'HOME/.codex/sessions'],
    [{ CODEX_HOME: '/x' }, ['/x/sessions', '/x/archived_sessions'], 'CODEX_HOME/sessions'],
    [
      { CODEX_HOME: '/x, ~/y,' },
      ['/x/sessions', '/x/archived_sessions', '/home/a/y/sessions', '/home/a/y/archived_sessions'],
      'CODEX_HOME/sessions',
    ],
  ])('%j', (env, paths, from) => {
    const roots = codexRoots('/home/a', env);
    expect(roots.map(root => root.path)).toEqual(paths);
    expect(roots[0]?.from).toBe(from);
  });

  test.each([
    [`2026/06/17/${NAME}.jsonl`, true],
    [`2026/06/17/${NAME}.jsonl.zst`, true],
    [`${NAME}.jsonl`, true],
    ['rollout-2025-05-07-5973b6c0-94b8-487b-a530-2aeb6098ae0e.json', true],
    ['index.json', false],
    ['notes.txt', false],
    ['state_5.sqlite', false],
  ])('%s is taken: %s', (relative, taken) => {
    expect(codexRoots('/home/a', {})[0]?.accepts(relative)).toBe(taken);
  });
});

describe('one history in several places', () => {
  test('the active copy comes before the archived one, plain before compressed', () => {
    const places = [
      `/h/sessions/2026/06/17/${NAME}.jsonl`,
      `/h/sessions/2026/06/17/${NAME}.jsonl.zst`,
      `/h/archived_sessions/${NAME}.jsonl`,
      `/h/archived_sessions/${NAME}.jsonl.zst`,
    ];
    const found = places.map(place => rolloutIdentity(place));
    expect(new Set(found.map(each => each?.id)).size).toBe(1);
    expect(found.map(each => each?.rank)).toEqual([0, 1, 2, 3]);
  });

  test('other homes and other threads are other histories', () => {
    const places = [
      `/h/sessions/${NAME}.jsonl`,
      `/other/sessions/${NAME}.jsonl`,
      `/h/sessions/${NAME.replace('019e', '019f')}.jsonl`,
    ];
    expect(new Set(places.map(place => rolloutIdentity(place)?.id)).size).toBe(3);
  });

  test.each(['/h/sessions/child.jsonl', '/tmp/a.jsonl', '/h/sessions/rollout-2025-05-07-x.json'])(
    '%s is a version of nothing',
    path => {
      expect(rolloutIdentity(path)).toBeUndefined();
    },
  );
});

describe('content is recognised', () => {
  const head = (records: unknown[], path = '/x/a.jsonl') => codex.sniff({ path, records });

  test.each<[string, unknown[]]>([
    ['a header', [{ timestamp: 't', type: 'session_meta', payload: { id: 'x' } }]],
    ['a file without header', [{ type: 'turn_context', payload: { model: 'm' } }]],
    [
      'a file after an unknown record',
      [
        { type: 'news', payload: {} },
        { type: 'event_msg', payload: { type: 'token_count' } },
      ],
    ],
    ['a bare header', [{ id: 'x', timestamp: 't', instructions: null }]],
    [
      'a bare header and items',
      [{ id: 'x', timestamp: 't', git: {} }, { record_type: 'state' }, { type: 'message', role: 'user', content: [] }],
    ],
    ['a document', [{ session: { id: 'x', timestamp: 't', instructions: '' }, items: [] }]],
  ])('%s', (_, records) => {
    expect(head(records)).toBe(true);
  });

  test.each<[string, unknown[]]>([
    ['nothing', []],
    ['Claude Code', [{ type: 'user', message: { role: 'user', content: 'x' }, uuid: 'u' }]],
    [
      'Pi',
      [
        { type: 'session', id: 'x', timestamp: 't', cwd: '/w' },
        { type: 'message', message: {} },
      ],
    ],
    ['items of nothing', [{ type: 'item.completed', item: {} }, { type: 'turn.started' }]],
    ['Gemini', [{ sessionId: 'x', kind: 'main' }]],
    ['numbers, lists and null', [1, [2], null, 'session_meta', true]],
    ['a header of something else', [{ id: 'x', timestamp: 't', instructions: null }, { role: 'user' }]],
  ])('%s is not Codex', (_, records) => {
    expect(head(records)).toBe(false);
  });
});
