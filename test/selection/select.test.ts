import { describe, expect, test } from 'vitest';
import { type Selection, select } from '../../src/selection/select.ts';
import { Trace } from '../../src/trace/trace.ts';
import { EPOCH, operationsOf } from '../support/operations.ts';

const HISTORY = `
  session main agent=claude-code project=web
    prompt 0    "fix" #p
    call   0-3  opus in=1000 branch=main domain=anthropic.com #m1
    tool   3-5  Bash status=error branch=main command=npm #t1
    effect read src/a.ts
    tool   5-6  Read branch=main #t2
  session sub agent=claude-code parent=main spawn=t1
    call   4-5  haiku in=10 #m2
  session other agent=codex project=api
    call   100-101 gpt-5 in=500 branch=dev #m3
    tool   101-102 shell status=ok branch=dev phase=test #t3
`;
const EVERYTHING: Selection = {
  agents: [],
  projectRoots: [],
  sessionIds: [],
  branches: [],
  models: [],
  since: undefined,
  until: undefined,
  where: [],
  matchesSession: (selector, id) => id.startsWith(selector),
};

async function rows(narrowed: Partial<Selection>): Promise<number[]> {
  const trace = new Trace(operationsOf(HISTORY));
  return [...(await select(trace, { ...EVERYTHING, ...narrowed }))];
}

describe('a selection keeps', () => {
  test.each<[string, Partial<Selection>, number[]]>([
    ['everything unless narrowed', {}, [0, 1, 2, 3, 4, 5, 6, 7]],
    ['an agent', { agents: ['codex'] }, [6, 7]],
    ['a session with its subagents', { sessionIds: ['main'] }, [0, 1, 2, 3, 4, 5]],
    ['a subagent alone by its own id', { sessionIds: ['sub'] }, [5]],
    ['a branch', { branches: ['dev'] }, [6, 7]],
    ['a model with the tools that its calls asked for and what they touched', { models: ['opus'] }, [1, 2, 3, 4]],
    ['a time, both ends included', { since: EPOCH + 3e6, until: EPOCH + 5e6 }, [2, 3, 4, 5]],
    ['one of several values', { where: ['tool=Read,shell'] }, [4, 7]],
    ['what is not a value, absent ones too', { where: ['tool!=Bash'] }, [0, 1, 4, 5, 6, 7]],
    ['what has a value', { where: ['tool!='] }, [2, 3, 4, 7]],
    ['what has no value', { where: ['tool='] }, [0, 1, 5, 6]],
    ['what matches a pattern', { where: ['file~^src/'] }, [3]],
    ['what does not match one', { where: ['agent!~claude'] }, [6, 7]],
    ['what weighs more than a number', { where: ['tokens>400'] }, [1, 6]],
    ['what all conditions keep', { where: ['tokens>400', 'agent=codex'] }, [6]],
    ['free fields', { where: ['phase=test'] }, [7]],
    ['nothing, without complaint', { where: ['tool=Nope'] }, []],
  ])('%s', async (_, narrowed, expected) => expect(await rows(narrowed)).toEqual(expected));
});

describe('a condition that cannot be is refused with', () => {
  test.each([
    ['tol=Bash', /^--where: there is no field "tol". Known fields: agent, /],
    ['tool', /^--where: cannot read "tool". Write FIELD=VALUE/],
    ['token>5', /^--where: "token" is not a measure. Measures: operations, /],
    ['tokens>many', /wants a number/],
    ['tool~(', /^--where: cannot use the pattern "\(": .* RE2 syntax/],
    ['tool~(?=x)', /no lookaround/],
  ])('%s', async (condition, message) => {
    await expect(rows({ where: [condition] })).rejects.toThrow(message);
  });
});
