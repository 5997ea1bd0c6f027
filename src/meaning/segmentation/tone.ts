/**
 * Whether words before a step go on to something new ("Great, that works. Now ...") or mend what is open ("That failed,
 * let me try ..."). A closed list: the words agents use to structure their own work, in English and Chinese.
 */
const MOVING_ON =
  /\b(?:now|next|then|finally|first|step \d+|phase \d+|moving on|great|perfect|excellent|done|completed?|finished|successfully|works|working)\b|现在|接下来|下一步|然后|最后|首先|完成|成功/i;
const MENDING =
  /\b(?:try|again|instead|issues?|errors?|problems?|fail(?:ed|s|ing)?|fix|wait|missing|not (?:found|available|working)|unfortunately|still|different approach|wrong|typo|debug|correct)\b|重试|错误|失败|问题|修复|仍然|报错|再试/i;

/** How much of a text is looked at: the opening says what comes. */
const OPENING = 2000;

/** A level of the evidence `said`: 0 nothing, 1 plain, 2 mending, 3 both, 4 moving on. */
export function toneOf(said: string): number {
  if (said === '') return 0;
  const opening = said.slice(0, OPENING);
  const moves = MOVING_ON.test(opening);
  if (MENDING.test(opening)) return moves ? 3 : 2;
  return moves ? 4 : 1;
}
