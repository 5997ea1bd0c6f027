import { describe, expect, test } from 'vitest';
import { tagOperations } from '../../../src/meaning/tagging/apply.ts';
import { Decided, type Told } from '../../../src/meaning/tagging/decided.ts';
import { loadTagger, type Tagger } from '../../../src/meaning/tagging/tagger.ts';
import { readTaggerSources } from '../../../src/meaning/tagging/tagger-sources.ts';
import { Trace } from '../../../src/trace/trace.ts';
import { operationsOf } from '../../support/operations.ts';

const PROMPTS = ['why does the login fail?', 'ok', 'no, that is wrong', 'looks good', 'zxqv', '继续', 'add a test'];
const MACHINE = '<system-reminder>be brief</system-reminder>';

const sources = () => readTaggerSources({ tagRules: ['prompt:auth=login'], preset: true });

/** A tagger that notes what it is asked. */
async function listening(): Promise<{ tagger: Tagger; asked: string[] }> {
  const tagger = await loadTagger(await sources());
  const asked: string[] = [];
  const decide: Tagger['decide'] = (subject, text) => {
    asked.push(text);
    return tagger.decide(subject, text);
  };
  return { tagger: { ...tagger, decide }, asked };
}

/** As a pack gives it back. */
const stored = (told: Told) => JSON.parse(JSON.stringify(told)) as Told;

describe('what was decided in an earlier run', () => {
  test('is not decided again, and stays what it was', async () => {
    const first = await listening();
    const before = new Decided(first.tagger);
    const said = [...PROMPTS, MACHINE].map(text => before.of(text));
    const second = await listening();
    const again = new Decided(second.tagger, stored(before.told(false)));
    expect([...PROMPTS, MACHINE, ...PROMPTS].map(text => again.of(text))).toEqual([...said, ...said.slice(0, -1)]);
    expect(first.asked).toEqual(PROMPTS);
    expect(second.asked).toEqual([]);
  });

  test('gives a history the tags it has without', async () => {
    const [first, ...others] = PROMPTS;
    const ops = operationsOf(
      `session a\n prompt 0 "${first}" #1\n${others.map((text, at) => ` prompt ${at + 1} "${text}" #${at + 2}`).join('\n')}`,
    );
    new Trace(ops);
    const { tagger, asked } = await listening();
    const before = new Decided(tagger);
    // What opened a session then stands in its middle now, and the other way round.
    for (const text of [others.at(-1) as string, ...others]) before.of(text);
    asked.length = 0;
    const decided = new Decided(tagger, stored(before.told(false)));
    expect(tagOperations(ops, tagger, { inherit: true, decided })).toEqual(tagOperations(ops, tagger));
    // Once of what is new, then all without help.
    expect(asked).toEqual([first, ...PROMPTS]);
  });

  test('is kept with what is new, or without what nobody asked for any more', async () => {
    const { tagger, asked } = await listening();
    const before = new Decided(tagger);
    before.of('ok');
    before.of('zxqv');
    const next = new Decided(tagger, stored(before.told(false)));
    next.of('zxqv');
    next.of('add a test');
    asked.length = 0;
    for (const text of ['ok', 'zxqv', 'add a test']) {
      new Decided(tagger, stored(next.told(true))).of(text);
      new Decided(tagger, stored(next.told(false))).of(text);
    }
    expect(asked).toEqual(['ok']);
  });

  test('is told apart where texts differ in half a character or in a long middle', async () => {
    const { tagger, asked } = await listening();
    const decided = new Decided(tagger);
    const long = (middle: string) => `${'a '.repeat(6000)}${middle}${' b'.repeat(6000)}`;
    const texts = ['x\ud800', 'x\udc00', 'x\ufffd', long('fix'), long('why')];
    for (const text of texts) decided.of(text);
    expect(asked).toEqual(texts);
  });
});
