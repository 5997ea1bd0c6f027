import { exactly, nounOf, phrase } from '../formats/units.ts';
import type { Measure } from '../trace/measures.ts';

/** The words of the page, English and Chinese. */
const TEXT = {
  views: ['View', '视图'],
  ownView: ['own stack', '自定义'],
  search: ['Search frames (regular expression)', '搜索帧（正则表达式）'],
  searchShort: ['Search', '搜索'],
  noMatch: ['no match', '无匹配'],
  badPattern: ['not a regular expression', '正则表达式有误'],
  matched: ['{share} in {n} boxes', '{share}，共 {n} 个方框'],
  exports: ['Export', '导出'],
  help: ['Keys and help', '按键与帮助'],
  theme: ['Colours: {theme}', '配色：{theme}'],
  auto: ['auto', '自动'],
  light: ['light', '浅色'],
  dark: ['dark', '深色'],
  measures: ['Measure', '度量'],
  stack: ['Frames, outermost first', '帧，由外到内'],
  addFrame: ['+ add frame', '+ 添加帧'],
  drop: ['Drop {frame}', '移除 {frame}'],
  chipHint: [
    '{frame}: drag, or Alt with arrows, to move; Delete to drop',
    '{frame}：拖动或按 Alt+方向键移动；按 Delete 移除',
  ],
  moved: ['{frame} is now frame {n}', '{frame} 现在是第 {n} 帧'],
  resetStack: ['Reset', '还原'],
  filters: ['Filters', '筛选'],
  from: ['From', '从'],
  to: ['To', '到'],
  clear: ['Clear filters', '清除筛选'],
  none: ['(none)', '（无）'],
  timeline: ['Over time', '时间线'],
  byDay: ['by day', '按天'],
  byWeek: ['by week', '按周'],
  others: ['others', '其他'],
  flame: ['Flame graph', '火焰图'],
  table: ['Table', '表格'],
  sandwich: ['Sandwich', '夹心视图'],
  sessions: ['Sessions', '会话'],
  all: ['all', '全部'],
  frame: ['Frame', '帧'],
  kind: ['Kind', '种类'],
  self: ['Self', '自身'],
  total: ['Total', '总计'],
  shareOf: ['Share', '占比'],
  filterTable: ['Filter rows', '筛选行'],
  rows: ['{n} frames', '{n} 个帧'],
  moreRows: ['{n} more rows; filter to see them', '还有 {n} 行；请筛选查看'],
  pickFrame: ['Choose a frame to see what led to it and what it led to.', '选择一个帧，查看其来源与去向。'],
  callers: ['What led to it', '来源'],
  callees: ['What it led to', '去向'],
  selfOnly: ['{value} of it in no frame below', '其中 {value} 不在任何下级帧'],
  ofParent: ['{share} of {frame}', '占 {frame} 的 {share}'],
  ofAll: ['{share} of all', '占全部的 {share}'],
  details: ['Selected frame', '所选帧'],
  openSandwich: ['Sandwich', '夹心视图'],
  openSessions: ['Sessions', '会话'],
  copyExplain: ['Copy explain command', '复制 explain 命令'],
  copied: ['Copied', '已复制'],
  close: ['Close', '关闭'],
  session: ['Session', '会话'],
  agent: ['Agent', '智能体'],
  project: ['Project', '项目'],
  first: ['First day', '首日'],
  operations: ['Operations', '操作'],
  evidence: ['Operations kept as evidence ({n})', '保留的证据操作（{n}）'],
  evidenceNote: [
    'A page keeps some operations of every frame. agentpprof open shows all of them here, agentpprof explain lists them.',
    '页面仅为每个帧保留部分操作。agentpprof open 可在此查看全部，agentpprof explain 可列出。',
  ],
  noSessions: ['The cells of this page carry no sessions.', '此页面不含会话信息。'],
  overTime: ['Over time', '时间线'],
  wholeSession: ['Whole session', '整个会话'],
  openAll: ['Unfold all', '全部展开'],
  closeAll: ['Fold all', '全部折叠'],
  chromeTrace: ['Chrome trace', 'Chrome 跟踪'],
  perfetto: [
    'Save as Chrome trace JSON, which ui.perfetto.dev opens',
    '保存为 Chrome 跟踪 JSON，可在 ui.perfetto.dev 打开',
  ],
  nTurns: ['{n} turns', '{n} 轮'],
  nCalls: ['{n} model calls', '{n} 次模型调用'],
  nTools: ['{n} tool calls', '{n} 次工具调用'],
  nSubagents: ['{n} subagents', '{n} 个子智能体'],
  nTokens: ['{n} tokens', '{n} Token'],
  activeOf: ['{active} active within {wall}', '{wall} 内活动 {active}'],
  atOnce: ['at most {n} at once', '最多同时 {n} 个'],
  pause: ['pause of {length}', '停顿 {length}'],
  waitsPerson: ['waits for the person', '等待用户'],
  notKept: [
    'This page carries {n} sessions over time, those that weigh most; agentpprof open shows any.',
    '此页面仅含占比最大的 {n} 个会话的时间线；agentpprof open 可查看任意会话。',
  ],
  notServed: ['The server of this page does not answer: {why}', '页面服务器没有应答：{why}'],
  allOperations: ['{n} operations and effects', '{n} 个操作与效果'],
  moreOperations: ['Show more ({n} left)', '显示更多（剩余 {n}）'],
  emptyAll: ['Nothing was selected, so there is nothing to show.', '没有选中任何内容，因此无可显示。'],
  emptyFilter: [
    'The filters keep nothing. Clear them to see the whole history.',
    '筛选后没有内容。清除筛选可查看全部历史。',
  ],
  emptyMeasure: [
    'This part of the history has no {measure}: every value is zero. Choose another measure above.',
    '这部分历史没有“{measure}”数据：全部为零。请在上方选择其他度量。',
  ],
  leaders: ['Widest frames', '最宽的帧'],
  topOf: ['{n} of {all}', '{all} 个中的 {n} 个'],
  notThere: [
    '{frame} has no {measure} here. Choose another frame or measure.',
    '{frame} 在此没有“{measure}”数据。请选择其他帧或度量。',
  ],
  reading: ['Reading the rest of the page …', '正在读取页面其余内容……'],
  broken: ['This page cannot read its own content: {why}', '此页面无法读取其内容：{why}'],
  canvas: [
    'Flame graph of {measure}. Arrow keys walk the boxes, Enter zooms, Escape goes back.',
    '{measure} 的火焰图。方向键移动，Enter 放大，Escape 返回。',
  ],
  level: ['level {n}', '第 {n} 层'],
  below: ['{n} frames below', '下级 {n} 个帧'],
  flip: ['Root on top', '根在上'],
  flipUp: ['Root below', '根在下'],
  keysTitle: ['Keys', '按键'],
  about: ['About this page', '关于此页面'],
  aboutText: [
    'One file, no network: the cells of a history, folded here. Names are as agentpprof may show them.',
    '单个文件，无需网络：历史的聚合单元在此折叠。名称均为 agentpprof 允许显示的形式。',
  ],
  saved: ['{what} saved', '已保存 {what}'],
  minimap: ['Overview of all levels', '全部层级概览'],
} as const;

export type Word = keyof typeof TEXT;
export type Say = (word: Word, values?: Readonly<Record<string, string | number>>) => string;
export type Language = 'en' | 'zh';

export function languageOf(languages: readonly string[]): Language {
  return languages[0]?.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

export function sayIn(language: Language): Say {
  const at = language === 'zh' ? 1 : 0;
  return (word, values = {}) => TEXT[word][at].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}

const MEASURES_ZH: Readonly<Record<string, string>> = {
  operations: '操作',
  files: '文件',
  network: '网络',
  errors: '错误',
  input_tokens: '输入 Token',
  cache_read_tokens: '缓存读 Token',
  cache_write_tokens: '缓存写 Token',
  output_tokens: '输出 Token',
  reasoning_tokens: '推理 Token',
  time: '活动时间',
  cost: '费用',
  tokens: 'Token',
};

/** What a measure is called on its button. */
export function measureName(name: string, language: Language): string {
  return language === 'zh' ? (MEASURES_ZH[name] ?? name) : name.replace(/_tokens$/, '').replaceAll('_', ' ');
}

/** The exact value with what it counts, as it stands on the page. */
export function inFull(value: bigint, measure: Measure, language: Language): string {
  const number = exactly(value, measure.unit);
  const noun =
    language === 'zh'
      ? measure.unit === 'count'
        ? (MEASURES_ZH[measure.name] ?? measure.name)
        : ''
      : nounOf(measure, value);
  return noun === '' ? number : `${number} ${noun}`;
}

/** The value in words with what it counts. */
export function inWords(value: bigint, measure: Measure, language: Language): string {
  const said = phrase(value, measure);
  if (language === 'en') return said;
  const noun = nounOf(measure, value);
  const number =
    noun !== '' && said.endsWith(` ${noun}`) ? said.slice(0, -noun.length - 1) : said.replace(/ of activity$/, '');
  return measure.unit === 'count' ? `${number} ${MEASURES_ZH[measure.name] ?? measure.name}` : number;
}

/** Keys and what they do. */
export const KEYS: readonly (readonly [keys: string, en: string, zh: string])[] = [
  ['↑ ↓ ← →', 'walk the boxes of the flame graph', '在火焰图中移动'],
  ['Enter', 'zoom to the marked box', '放大到所选方框'],
  ['Escape, Backspace', 'one level back; clear the search', '返回一级；清除搜索'],
  ['Home', 'zoom out all the way', '全部缩小'],
  ['/', 'search', '搜索'],
  ['m, Shift+m', 'next, previous measure', '下一个、上一个度量'],
  ['1 2 3 4', 'flame graph, table, sandwich, sessions', '火焰图、表格、夹心、会话'],
  ['i', 'turn the flame graph over', '翻转火焰图'],
  ['Alt+← Alt+→', 'move the marked frame of the stack', '移动所选帧的位置'],
  ['Delete', 'drop the marked frame of the stack', '移除所选帧'],
  ['?', 'this help', '本帮助'],
];
