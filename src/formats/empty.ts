import { type Tree, totalOf } from '../profile/tree.ts';
import { displayText } from './names.ts';
import { nounOf } from './units.ts';

/** Why a picture has nothing to show, in a sentence that names the way out. */
export function emptySentence(tree: Tree): string {
  const { profile, measure } = tree;
  if (profile.samples.length === 0) return 'Nothing was selected, so there is nothing to show.';
  const what = measure.unit === 'nanoseconds' ? 'duration data' : nounOf(measure, 0n) || measure.name;
  const others = profile.measures.filter(m => m.name !== measure.name && totalOf(profile, m.name) !== 0n);
  const instead = others.length === 0 ? '' : ` It has ${others.map(m => m.name).join(', ')}.`;
  return displayText(`The selected history has no ${what}: every value is zero.${instead}`);
}
