import { APART, onlyContinues } from './phrases.ts';

export type Turn = 'first' | 'continue' | 'correct' | 'approve' | '';

const HEDGE = '(?:ok(?:ay)?|hmm+|hm|well|sorry|oh|ah|but|hey|please|嗯|呃|额|啊|哦|但是?|请)';

/** "no" alone and before what is wanted instead; not "no problem", "no tests yet", "no, thanks". */
const NO = String.raw`(?:no|nope|nah)(?!\s*,?\s*(?:problem|worries|thanks?|need|idea|rush)\b)(?:\s*[,.!;:–—-]|\s*$|\s+(?:that|it|i|don['’]?t|do not|not|you|use|wait|please|the|we)\b)`;

const ENGLISH = [
  NO,
  String.raw`(?:wrong|incorrect)\b`,
  String.raw`not (?:what|quite|like|right|correct|as|there|the)\b`,
  String.raw`(?:that|this|it)(?:['’]?s| is| was)(?:n['’]?t| not| wrong| incorrect| still)\b`,
  String.raw`you (?:misunderstood|missed|forgot|broke|misread|ignored|removed|deleted|didn['’]?t|did not|shouldn['’]?t|should not|were not|weren['’]?t)\b`,
  String.raw`why did you\b`,
  String.raw`i (?:said|meant|asked|told you|didn['’]?t (?:ask|mean|want)|did not (?:ask|mean|want)|don['’]?t want)\b`,
  String.raw`(?:revert|undo|roll (?:it|that|this) back|put (?:it|that|them) back|go back|take (?:it|that|this) (?:out|back))\b`,
  String.raw`stop(?:\s*[,.!]|\s*$|\s+(?:doing|using|adding|changing|it|that|this|there|here)\b)`,
  String.raw`wait(?:\s*[,.!]|\s*$|\s+no\b)`,
  String.raw`(?:don['’]?t|do not)(?! forget| worry)\b`,
  String.raw`(?:actually|instead|rather|never ?mind)\b`,
  String.raw`still (?:not|fails?|failing|broken|wrong|the same|doesn['’]?t|getting)\b`,
  String.raw`(?:it |that |this )?(?:doesn['’]?t|didn['’]?t|does not|did not) work\b`,
];

const CHINESE = [
  ...[
    '不对',
    '不是',
    '错了',
    '不行',
    '不要',
    '别(?!名|的|人|处)',
    '撤销',
    '回退',
    '还原',
    '改回',
    '恢复(?:成|到|回|原|之前|刚才|一下)',
  ],
  ...[
    '停(?:下|止(?!服务|容器|进程)|一下|！|!|，|。|$)',
    '等(?:等|一下|下)',
    '[搞弄改写]错',
    '理解错',
    '我说的是',
    '我的意思是',
    '我要的是',
    '你[漏忘搞弄改理]',
  ],
  ...['还是(?:不|没|报|有|一样|错)', '没有?(?:生效|解决|用|改)', '重来', '重做', '重新来'],
];

const CORRECTS = new RegExp(`^${APART}*(?:${HEDGE}${APART}*){0,3}(?:${[...ENGLISH, ...CHINESE].join('|')})`);

/** A correction shows in the first words; more is not looked at, so a long prompt costs nothing. */
const OPENING = 120;

/**
 * How a prompt carries the conversation on, the field `turn`:
 *
 * - `first`: it opens the session, whatever it says.
 * - `continue`: all it says is to go on ("continue", "next", "继续") or yes to what was offered ("ok", "yes, do that", "嗯",
 *   "2" picked from a list).
 * - `approve`: all it says is praise ("looks good", "perfect, thanks", "很好").
 * - `correct`: it opens by refusing or taking back what was done ("no, ...", "that's wrong", "revert that", "不对").
 *   What follows may be any task; an opening yes with a new task is none of the four.
 * - '': everything else.
 */
export function turnOf(text: string, isFirst: boolean): Turn {
  if (isFirst) return 'first';
  const only = onlyContinues(text);
  if (only !== '') return only;
  return CORRECTS.test(text.slice(0, OPENING).toLowerCase()) ? 'correct' : '';
}
