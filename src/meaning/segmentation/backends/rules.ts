import type { Step } from '../steps.ts';
import { toneOf } from '../tone.ts';

/** Cuts that a person would name at once: a new prompt, a step of the plan, words that move on to another kind of action. */
export function rules(steps: readonly Step[]): Uint8Array {
  return Uint8Array.from(steps, (step, at) => {
    const before = steps[at - 1];
    if (before === undefined || before.opensTurn) return 0;
    if (step.opensTurn && !step.continues) return 1;
    if (step.category === 'plan') return before.category === 'plan' ? 0 : 1;
    return toneOf(step.said) === MOVES_ON && before.category !== step.category ? 1 : 0;
  });
}

const MOVES_ON = 4;

/** Cuts at the turns of the conversation alone; sessions of operation files, which have none, stay whole. */
export function native(steps: readonly Step[]): Uint8Array {
  return Uint8Array.from(steps, (step, at) => (at > 0 && step.opensTurn ? 1 : 0));
}
