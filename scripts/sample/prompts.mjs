// @ts-check
// What people ask, by the kind of work. {thing} and {zh} stand for the area, {symptom} for what goes wrong, {file} for its
// main file, {test} for its test file.

/** @type {Readonly<Record<string, { en: readonly string[], zh: readonly string[] }>>} */
export const PROMPTS = {
  debug: {
    en: [
      'fix {thing}: {symptom}',
      'why does {check} fail in CI but not here? please find out',
      'debug {thing}, {symptom} since the last release',
      '{symptom}. find the cause in {file} and fix it',
      'the test in {test} is broken again, investigate',
      '{thing} is still wrong, {symptom}, here is the log:\n{failure}',
      'I get this error: {failure}',
    ],
    zh: [
      '修复{zh}的问题：{symptomZh}',
      '为什么{zh}会报错？{symptomZh}，请查一下原因',
      '{zh}又坏了，{symptomZh}，帮我调试一下',
      '测试报错了：{failure}，请修复',
    ],
  },
  test: {
    en: [
      'write unit tests for {file}',
      'add a regression test: {symptom}',
      'increase the test coverage of {thing}',
      'run the tests of {thing} and make them pass',
      'can you add edge cases to {test}?',
    ],
    zh: ['给{file}写单元测试', '为{zh}补充回归测试', '运行{zh}的测试，让它们通过'],
  },
  refactor: {
    en: [
      'refactor {thing} into smaller functions',
      'split {file}, it is far too long',
      'extract the shared code of {thing} and remove the duplication',
      'rename {symbol} everywhere, the name is misleading',
    ],
    zh: ['重构{zh}，把大函数拆开', '把{symbol}的重复代码提取出来', '简化一下{file}'],
  },
  implement: {
    en: [
      'implement pagination for {thing}',
      'add an option to {thing} that keeps the old behaviour',
      'create a dry run mode for {thing}',
      'add retries with a limit to {thing}',
    ],
    zh: ['给{zh}增加一个新的选项', '实现{zh}的批量处理', '添加{zh}的缓存，默认关闭'],
  },
  review: {
    en: [
      'review the diff of this branch before I push',
      'review the pull request about {thing}',
      'look over my changes in {file} and tell me what you would do differently',
    ],
    zh: ['审查一下{zh}的改动', '帮我review这个分支的代码'],
  },
  docs: {
    en: [
      'update the README for {thing}',
      'document the options of {thing}',
      'write a short guide about {thing} for newcomers',
    ],
    zh: ['更新{zh}的文档', '给{symbol}写注释和说明'],
  },
  release: {
    en: ['release the next minor version', 'bump the version, write the changelog and publish'],
    zh: ['发布新版本，更新变更日志'],
  },
  research: {
    en: [
      'how do others solve this: {symptom}? research it, do not change code',
      'compare two ways to build {thing} and recommend one',
      'explain how {symbol} works',
    ],
    zh: ['调研一下{zh}有哪些做法', '解释一下{symbol}是怎么工作的'],
  },
  performance: {
    en: [
      '{thing} is slow with large inputs, profile it and make it faster',
      'measure {thing} before and after, I want numbers',
    ],
    zh: ['{zh}太慢了，分析性能并优化'],
  },
  security: {
    en: ['audit the dependencies and fix what is critical', 'check that no secret is written to the log'],
    zh: ['检查依赖的安全漏洞'],
  },
  commit: {
    en: ['commit this and push the branch', 'commit with a clear message and open a pull request'],
    zh: ['提交代码并推送'],
  },
  continue: {
    en: ['continue', 'ok, go on', 'yes please', 'try again'],
    zh: ['继续', '好的，继续', '可以'],
  },
  other: {
    en: ['hmm, that looks odd to me', 'what about the second one?'],
    zh: ['嗯，这里有点奇怪'],
  },
};

/** What an agent says before it acts, and when it is done. */
export const SAYS = {
  before: [
    'I will look at the code first.',
    'Let me reproduce it.',
    'Checking where this is used.',
    'The cause is likely here.',
    '先看一下相关代码。',
  ],
  after: [
    'Done: the change is in place and the tests pass.',
    'Fixed. The cause was a missing check.',
    'Finished; one follow-up is noted below.',
    'Here is what I found.',
    '已完成，测试通过。',
  ],
};

/** @param {string} template @param {import('./projects.mjs').Area} area */
export function fill(template, area) {
  return template
    .replaceAll('{thing}', area.en)
    .replaceAll('{zh}', area.zh)
    .replaceAll('{symptom}', area.symptom)
    .replaceAll('{symptomZh}', area.symptomZh)
    .replaceAll('{file}', /** @type {string} */ (area.files[0]))
    .replaceAll('{test}', area.test)
    .replaceAll('{check}', area.check)
    .replaceAll('{symbol}', area.symbol)
    .replaceAll('{failure}', area.failure);
}
