import { describe, expect, test } from 'vitest';
import { presetTag } from '../../../src/meaning/tagging/preset.ts';
import { turnOf } from '../../../src/meaning/tagging/turn.ts';

const turns: Record<string, string[]> = {
  continue: [
    ...['continue', 'Continue.', 'go on', 'next', 'Next!', 'proceed', 'keep going', 'please continue', 'ok, continue'],
    ...[
      'yes, go on please',
      'Please continue from where you left off.',
      'next step',
      'carry on',
      'ok next',
      '"continue"',
    ],
    ...['继续', '继续吧', '请继续', '好的，继续', '下一步', '接着做', '嗯，下一步', '开始吧', 'perfect, continue'],
    ...[
      'ok',
      'OK!',
      'yes',
      'y',
      'Yes, do that',
      'go ahead',
      'sure, go ahead',
      "let's do it",
      'lets do that',
      'ship it',
    ],
    ...['2', 'option B', '👍', 'ok 👌', 'looks good, go ahead', 'that works', 'yes, perfect'],
    ...[
      '好',
      '好的',
      '嗯',
      '嗯嗯',
      '可以',
      '没问题',
      '对，就这样',
      '行吧',
      '是的',
      '方案二',
      '好的，谢谢',
      '很好，继续',
    ],
  ],
  approve: [
    ...['sounds good', 'lgtm', 'Looks good to me.', 'that’s fine', 'perfect, thanks', 'Great work!', 'all good'],
    ...['不错', '很好', '完美，谢谢'],
  ],
  correct: [
    ...[
      'no',
      'No, use vite instead',
      'nope',
      'no that is the wrong file',
      'wrong',
      "That's wrong",
      "that's not what I asked",
    ],
    ...[
      'not what I meant',
      'revert that',
      'Undo the last change',
      'put it back',
      'stop',
      'stop, wait',
      'wait, no',
      "don't do that",
    ],
    ...[
      'you forgot the tests',
      'I meant the other file',
      "it's still broken",
      'still failing',
      "that didn't work",
      'actually, use tabs',
    ],
    ...['hmm, that is not right', 'ok but that is wrong', 'why did you delete the file?', 'never mind'],
    ...[
      '不对',
      '不对，应该是另一个文件',
      '不是这样',
      '错了',
      '撤销',
      '回退到上一版',
      '别改这个文件',
      '还是不行',
      '你漏了一个',
      '改错了',
    ],
    ...['嗯，不对', '我的意思是用 yaml', '停一下', '没有生效'],
  ],
  '': [
    ...[
      'fix the login bug',
      'add a flag',
      'yes please, and make it cross-browser',
      'ok now add tests',
      'next: implement step 2',
    ],
    ...[
      'no problem, thanks',
      'no worries',
      'no, thanks',
      'No tests exist for this yet, write some',
      'nobody uses it',
      'normalise it',
    ],
    ...[
      'stop the server',
      'wait for the build',
      "don't forget the docs",
      'continue with step 3: the parser',
      'notify the team',
    ],
    ...['goodbye', 'continuous integration', 'okra', 'thank you', '', '...', 'yesterday it worked', 'rewrite it'],
    ...[
      '修一下登录',
      '继续写测试',
      '好的，那就实现第二个接口',
      '别名怎么设置',
      '停止服务',
      '对比一下两个库',
      '可以加个参数吗',
      '行数统计',
    ],
  ],
};

describe('the turn of a prompt', () => {
  const cases = Object.entries(turns).flatMap(([turn, prompts]) => prompts.map(prompt => [prompt, turn]));

  test.each(cases)('%j: %s', (prompt, turn) => expect(turnOf(prompt, false)).toBe(turn));

  test.each(cases)('%j opens a session: first', prompt => expect(turnOf(prompt, true)).toBe('first'));

  test.each(cases)('%j has the tag continue if it continues or approves, and only then', (prompt, turn) => {
    expect(presetTag(prompt) === 'continue').toBe(turn === 'continue' || turn === 'approve');
  });
});
