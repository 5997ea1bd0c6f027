import type { Step } from './steps.ts';
import { toneOf } from './tone.ts';

/**
 * Steps as compact lines for a model: what was said and done in all of them, results only of the few that tell how the
 * work went. `result` gives the result of a step, `shown` what of a text may be seen (redacted before it is cut).
 */
export function packetOf(
  steps: readonly Step[],
  result: (step: Step) => string,
  shown: (text: string) => string,
): string {
  const telling = tellingSteps(steps, result);
  return steps
    .map((step, at) => {
      const parts = [
        `${at + 1} ${shown(step.opensTurn ? 'prompt' : step.detail)}`,
        step.said === '' ? '' : `says: ${cut(shown(step.said), SAID)}`,
        step.command === '' ? '' : cut(shown(step.command), COMMAND),
        step.command === ''
          ? step.objects
              .slice(0, OBJECTS)
              .map(object => cut(shown(object), OBJECT))
              .join(' ')
          : '',
        step.failed ? 'FAILED' : '',
        telling.has(at) ? `result: ${cut(shown(result(step)), RESULT)}` : '',
      ];
      return parts.filter(part => part !== '').join(' | ');
    })
    .join('\n');
}

const SAID = 160;
const COMMAND = 100;
const OBJECT = 60;
const OBJECTS = 3;
const RESULT = 200;

function cut(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const characters = [...line.slice(0, 2 * most)];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : line;
}

const OUTCOME =
  /\b(?:pass(?:ed|es)?|fail(?:ed|s|ure)?|error|success(?:ful|fully)?|done|complete[ds]?|ok|denied|not found)\b|成功|失败|错误|通过/i;
const LEAST = 2;
const MOST = 10;
const SHARE = 0.15;

/** The steps whose results say most: outcomes in words, verifications, and where the agent says it moves on. */
function tellingSteps(steps: readonly Step[], result: (step: Step) => string): Set<number> {
  const count = Math.max(LEAST, Math.min(MOST, Math.ceil(SHARE * steps.length)));
  const scored = steps.map((step, at) => {
    const text = result(step).slice(0, 2000);
    const verifies = step.category === 'test' ? 2 : step.category === 'run' ? 1 : 0;
    const movesOn = toneOf(steps[at + 1]?.said ?? '') === MOVES_ON ? 1 : 0;
    return { at, score: text === '' ? 0 : (OUTCOME.test(text) ? 2 : 0) + verifies + movesOn + (step.failed ? 1 : 0) };
  });
  const chosen = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score || a.at - b.at);
  return new Set(chosen.slice(0, count).map(({ at }) => at));
}

const MOVES_ON = 4;
