import { displayText } from '../formats/names.ts';
import { checkRules } from '../meaning/tagging/check.ts';
import { parseRulesFile } from '../meaning/tagging/rules-file.ts';
import { counted } from '../trace/counted.ts';
import { drawTable } from './table.ts';
import { readGiven, type TagLoopFlags, weighedPrompts } from './tag-loop.ts';

interface TestFlags extends TagLoopFlags {
  history?: boolean;
}

/** A rule file against its examples and the history. Exit code 1 where an example gets another tag than it must. */
export async function tagsTest(path: string, flags: TestFlags): Promise<void> {
  const rules = await parseRulesFile(readGiven(path, 'tags test'), path);
  const prompts = new Map<string, number>();
  if (flags.history !== false) {
    const read = await weighedPrompts({ ...flags, tagger: 'regex', tagRule: [], tagRules: [path] });
    for (const { text } of read.prompts) prompts.set(text, (prompts.get(text) ?? 0) + 1);
  }
  const check = await checkRules(rules, prompts);
  const wrong = check.findings.filter(({ severity }) => severity === 'error').length;
  if (flags.json) {
    process.stdout.write(
      `${JSON.stringify({ schema: 'agentpprof.tags-test/1', rules: rules.length, ...check, ok: wrong === 0 }, null, 2)}\n`,
    );
  } else {
    for (const { severity, place, message } of check.findings)
      process.stdout.write(`${severity}: ${displayText(place)} ${displayText(message)}\n`);
    if (check.prompts > 0) {
      const rows = check.uses.map(({ tag, takes, matches }) => [tag, String(takes), String(matches)]);
      process.stdout.write(
        drawTable([{ title: 'rule' }, { title: 'takes', right: true }, { title: 'matches', right: true }], rows),
      );
    }
    const taken = check.uses.reduce((sum, { takes }) => sum + takes, 0);
    const history = check.prompts > 0 ? `; they take ${taken} of ${counted(check.prompts, 'prompt')}` : '';
    process.stdout.write(
      `${counted(rules.length, 'rule')}, ${counted(check.examples, 'example')}: ${wrong === 0 ? 'all right' : `${wrong} wrong`}${history}\n`,
    );
  }
  if (wrong > 0) process.exitCode = 1;
}
