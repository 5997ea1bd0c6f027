import { MAKE, type Vocabulary } from './vocabulary.ts';

/** What a question after a failure names. */
const BROKEN = [
  String.raw`fail\w*|errors?|\w+(?:error|exception)s?|exceptions?|broken|breaks?|breaking|crash\w*|hang(?:s|ing)?`,
  String.raw`not work\w*|wrong|slow\w*|stuck|times? ?out|timeouts?|leak\w*|flaky|flak\w+|bugs?|panics?`,
  String.raw`deadlock\w*|regress\w*|empty|missing|undefined|null|nan`,
].join('|');

/** Work on what is there: breakage, questions, judgement, history, words. In the order of priority. */
export const INQUIRY: readonly Vocabulary[] = [
  {
    tag: 'debug',
    description: 'a symptom told at once, whatever was being done',
    asks: [
      String.raw`(?:why|how come)\b[^\n?!]*\b(?:${BROKEN}|not|(?:is|are|does|do|did|wo|ca)n['’]?t|cannot)`,
      String.raw`(?:the |my |our |this |these |all )?\w+ (?:fails|keeps? failing|(?:is|are) (?:failing|broken|down|crashing)|crashes|crashed)`,
      String.raw`\w+s fail`,
      '(?:the |my )?(?:release|build|deploy|deployment|job|pipeline|install|installation|command|run|ci) failed',
    ],
    asksWith: [],
    zhAsks: [
      String.raw`报错|报了?个?错|报\s*[a-z]|崩溃|崩了|出错|不工作|没.{0,6}反应|返回\s*[45]\d\d|泄漏`,
      '(?:编译|构建|测试|运行|通)不过|跑不[了通]|不生效|没生效|不起作用|跑不起来|起不来',
      '[打装连进登加]不[开上去载]|挂了|卡死|卡住|死循环|死锁|白屏|闪退|乱码|(?:加载|显示|跑|出)不出',
      '[算写搞弄改]错|结果不对|不正确|(?:一直|总是|老是|又)(?:超时|失败|报)|超时了|失败(?!的|时|次)',
    ],
    words: [],
    zhWords: [],
  },
  {
    tag: 'explain',
    description: 'a question of meaning, whatever it is about',
    asks: [],
    asksWith: [],
    zhAsks: ['有[什啥]么?(?:不同|区别|差别)|区别是|什么意思|啥意思|什么是|解释一下|是干[什啥]么?的'],
    words: [],
    zhWords: [],
  },
  {
    tag: 'git',
    description: 'commits, branches, merges, pull requests',
    asks: [
      'commit|rebase|squash|stash|amend|cherry-pick|git|force-push',
      String.raw`push(?: (?:it|this|that|to|now|up|and|everything|all|the (?:branch|changes|commits?|tags?)))?(?: please)?\s*$`,
      'push (?:it|this|that|to|now|up|everything|all|the (?:branch|changes|commits?|tags?))',
      'pull (?:the )?(?:latest|main|master|origin|upstream|changes|requests?)',
      String.raw`merge (?:it|this|that|pr|main|master|develop|dev|upstream|origin|back|in|into|#\d+|the (?:pr|branch|pull request|changes))`,
      'revert (?:the |that |this |my |your )?(?:last |previous )?(?:commits?|merge|[0-9a-f]{7,40})',
      String.raw`tag (?:it|this|a|the)? ?(?:release|version|commit|v\d\S*)`,
    ],
    asksWith: [
      ['checkout|check out|switch to|create|make|open(?: up)?|cut|delete|rename', 'branch'],
      [
        'create|make|open(?: up)?|submit|raise|draft|file|update|close|land',
        'pr|prs|pull requests?|mr|merge requests?|commit|worktree',
      ],
      ['fix|resolve|solve', 'conflicts?'],
    ],
    zhAsks: [
      String.raw`提交(?:代码|一下|改动|更改|修改|到|并|吧|上去|了|commit)|^\s*提交\s*$`,
      String.raw`(?:撤销|回退|回滚|修改|合并).{0,6}提交|推送(?:代码|到|分支|一下)|并推送|推到远程|push\s*(?:一下|到)`,
      '合并(?:到|分支|主干|冲突|代码|进|main|master|一下分支)|合到|(?:解决|处理).{0,4}冲突|变基|拉取?最新',
      String.raw`(?:创建|新建|切换?|拉|开|删除?)(?:一个|个|到)?.{0,6}分支|[提发开建]一?个?\s*(?:draft )?(?:pr|mr)`,
      String.raw`创建\s*(?:pr|mr)|打个?(?:标签|tag)|commit\s*一下`,
    ],
    words: [
      String.raw`git|rebas\w+|cherry-pick\w*|pull requests?|prs?|merge conflicts?|commit(?:s|ted|ting)?|branch(?:es)?`,
    ],
    zhWords: ['分支|冲突|提交记录'],
  },
  {
    tag: 'docs',
    description: 'documentation, comments, spelling',
    asks: [
      'document|proofread',
      String.raw`(?:there['’]?s|there is|there are|i found|found) (?:an? |some )?(?:\w+ )?(?:typos?|spelling|grammar)`,
      String.raw`(?:${MAKE}|mention|describe|explain|note|list)\s[^\n!?;]*\s(?:to|in|into|of) (?:the |our |my )?(?:readme(?:\.md)?|docs|documentation|change ?log)`,
    ],
    asksWith: [
      [
        `${MAKE}|fix|correct|polish|rewrite|draft|translate|reword|shorten`,
        String.raw`readme(?:\.md)?|docs?|documentation|docstrings?|jsdoc|javadoc|change ?log(?:\.md)?|release notes`,
        'tutorial|user guide|guide|man ?page|wiki|faq|code comments|inline comments|contributing guide',
      ],
      ['fix|correct', 'typos?|spelling|grammar|wording'],
      ['add|write|update|improve|remove', 'comments|comment (?:to|above|explaining|describing|that|for)'],
    ],
    zhAsks: [
      '(?:写|补|加|添加|增加|更新|完善|改|修改|修|修正|生成|整理|翻译|润色).{0,12}(?:文档|readme|注释|使用说明|更新日志|changelog|教程|错别字|错字|发布说明)',
      '错别字|(?:文档|注释|readme).{0,8}(?:补|加|写|改|完善|更新|翻译)',
    ],
    words: [
      String.raw`typos?|spelling|grammar|docstrings?|jsdoc|javadoc|documentation|readme(?:\.md)?|change ?log|docs`,
    ],
    zhWords: ['文档|注释|更新日志'],
  },
  {
    tag: 'test',
    description: 'writing and running tests',
    asks: [
      'test|retest|unit-?test|verify|(?:is|are) there (?:an? |any )?tests?|do (?:all |the )*tests',
      '(?:make|check|see|ensure|verify)(?: sure)?(?: that| if| whether)? (?:all |the )*tests (?:still )?pass',
      String.raw`cover\s[^\n!?;]*with (?:unit |integration )?tests`,
    ],
    asksWith: [
      [
        `${MAKE}|increase|raise|extend|cover`,
        'tests|coverage',
        'test (?:for|that|case|cases|coverage|suite|to|of|with|covering|checking|which|plan)',
        String.raw`test[.!]?\s*$|specs?(?: for)?|unit test|integration test|regression test|e2e test`,
      ],
      [
        'run|rerun|re-run|execute|repeat',
        'tests?|test suite|specs|suite|pytest|vitest|jest|mocha|rspec|phpunit|go test|cargo test|npm test',
      ],
    ],
    zhAsks: [
      String.raw`(?:写|补|加|添加|增加|补充|新增|完善|生成|跑|运行|执行|重跑).{0,15}(?:测试(?:[^环服数账页按机]|$)|单测|用例|tests?\b)`,
      '测试(?:一下|下|看)|验证(?:一下|下|是否)|测一下|测下|单元测试|回归测试|测试覆盖率|单测',
    ],
    words: [
      'unit tests?|integration tests?|regression tests?|test suite|test cases?|tests|coverage|pytest|vitest',
      'jest',
    ],
    zhWords: ['测试用例|覆盖率'],
  },
  {
    tag: 'review',
    description: 'judging a change or a piece of work',
    asks: [
      'review|re-review|look over|audit|critique|double[- ]?check|sanity-?check|scrutini[sz]e',
      String.raw`(?:do you see |are there |is there |see )?any(?:thing)? (?:\w+ ){0,2}(?:issues?|problems?|concerns?|wrong|feedback|objections?) (?:with|in|about|on)`,
      'what do you think(?: of| about)?',
      '(?:does|do) (?:this|it|these|that) look (?:right|good|ok|okay|correct|fine)',
      String.raw`(?:is|are) (?:this|these|my|the) (?:\w+ )?(?:implementation|code|approach|solution|changes?|fix|patch) (?:ok|okay|good|correct|fine|right|safe|sound)`,
    ],
    asksWith: [
      ['do|perform|run|start|make|give|write', 'code[ -]?review|review|audit'],
      ['give|share|provide', 'feedback|opinion|assessment'],
      [
        'check|look over|go over|inspect|evaluate|assess|judge|rate',
        'diff|pr|pull request|patch|changes|commits?|implementation|my code|this code|the code',
      ],
      ['address|apply|handle|incorporate|resolve', '(?:review|feedback|comments)(?: comments| feedback)?'],
    ],
    zhAsks: [
      String.raw`审查|评审|审一下|审核|代码评审|code review|\breview\b|检查.{0,8}(?:代码|改动|pr|diff|修改)`,
      '看(?:看|一下|下).{0,12}(?:有没有问题|有什么问题|写得|怎么样)|提.{0,4}(?:意见|建议)|评价一下|评估一下',
      '你觉得.{0,16}(?:怎么样|如何|吗|好)|检查(?:一下)?刚才',
    ],
    words: ['code reviews?|review(?:s|ed|er|ers|ing)?|feedback|nitpicks?|lgtm'],
    zhWords: ['审查|评审'],
  },
  {
    tag: 'debug',
    description: 'something is broken: find the cause, repair it',
    asks: [
      'fix(?:es|ed|ing)?|debug|diagnose|troubleshoot|repair|solve|hotfix|bug-?fix|reproduce|bisect',
      String.raw`(?:what['’]?s|what is|what are|what was|what went|what goes|is|are|does|do|did|was|has)\b[^\n?!]*\b(?:fail(?:s|ed|ing|ure|ures)?|broken|crash\w*|wrong|error(?:s|ing)?|hang(?:s|ing)?|leak\w*|flaky)`,
      String.raw`(?:investigate|look into|look at|figure out|find out|find|check|see|understand|track down|trace|locate|identify|determine)\b[^\n?!]*\b(?:why|fail\w*|errors?|\w+(?:error|exception)s?|exceptions?|broken|crash\w*|hangs?|wrong|leak\w*|flaky|flak\w+|bugs?|panics?|deadlock\w*|regress\w*|(?:root )?cause|reason|issues?|problems?)`,
    ],
    asksWith: [
      ['resolve', String.raw`bugs?|errors?|issues?|problems?|failures?|warnings?|crash\w*`],
      ['get|make|bring', 'work|working|work again|pass|passing|green|compile|running again'],
      ['handle', 'crash|failure'],
    ],
    zhAsks: [
      String.raw`修复|修一下|修下|修掉|修好|修正|改\s*bug|\bbug|为[啥何什么]+.{0,20}(?:不|没|失败|错|慢|崩|卡|空)|排查`,
      '调试|定位|解决.{0,10}问题|出.{0,3}问题|查.{0,6}原因|原因是',
    ],
    words: [
      String.raw`\w*(?:error|exception)s?|bugs?|bug-?fix(?:es)?|fix(?:es|ed|ing)?|debug(?:ging)?|broken|breaks`,
      'crash(?:es|ed|ing)?|fail(?:s|ed|ing|ure|ures)?|traceback|stack ?trace|panic(?:s|ked)?|segfaults?|flaky',
      'flakiness|deadlocks?',
      String.raw`(?:doesn|don|didn|isn|won|can|aren)['’]?t (?:seem to )?(?:work|build|compile|start|load|show|run|pass|open)\w*`,
      'not working|no longer|hangs?|hung|freez(?:es|ing)|npm err|off by one|incorrect(?:ly)?|unexpected(?:ly)?',
      'stopped working|connection refused|disconnects?',
      "(?:cannot|can['’]?t|unable to) (?:connect|find|open|load|start|resolve)",
      String.raw`exit(?:s|ed)? (?:immediately|(?:with )?(?:code|status) [1-9]\d*)|should(?:n['’]t| not) (?:happen|be)`,
      'permission denied|timed out|regressions?|memory leaks?|goes wrong|went wrong|wrong',
    ],
    zhWords: ['错误|异常|失败|报错|有问题|不对劲|警告'],
  },
  {
    tag: 'plan',
    description: 'thinking ahead without doing',
    asks: [
      'plan|design|architect|outline|brainstorm|propose|roadmap|strategi[sz]e|think (?:through|about|of|hard)',
      "(?:what['’]?s|what is|what would be|which is) the (?:best|right|cleanest|simplest|easiest|proper) (?:way|approach|strategy|option|place)",
      'how (?:should|would) (?:we|i|you)|what (?:should|shall) (?:we|i|you)',
    ],
    asksWith: [
      [
        'write|create|make|draft|come up with|give|prepare|sketch(?: out)?|update|work out|lay out|produce|suggest',
        'plan|proposal|roadmap|design|design doc|spec|specification|rfc|architecture|strategy|milestones?',
        'breakdown|approach|steps',
      ],
      ['break', 'down|into'],
      ['split|divide|break', 'milestones?|tasks|steps|phases|tickets|stories|sub-?tasks'],
    ],
    zhAsks: [
      '计划|规划|(?:设计|出|给|想|做|写|定).{0,12}方案|设计一下|路线图|怎么做比较好|思路|拆解',
      '(?:列|拆).{0,8}(?:任务|步骤)|怎么.{0,6}(?:设计|安排|拆)|想一下.{0,12}怎么|头脑风暴|先别写代码',
      '先不要写代码',
    ],
    words: ['plan(?:s|ning|ned)?|roadmap|proposal|milestones?|architecture|brainstorm(?:ing)?|trade-?offs?'],
    zhWords: ['方案|架构设计|里程碑'],
  },
  {
    tag: 'research',
    description: 'looking things up, in the code or outside',
    asks: [
      'research|search|google|look up|find(?: out)?|locate|compare|survey|explore|investigate|grep|browse|list',
      'scan|identify|determine|collect|gather|fetch|check (?:if|whether|which|where|what|how|the docs)',
      'see (?:if|whether)|look (?:for|through|around|in|into)|look at|read',
      String.raw`(?:is|are) there (?:a|an|any|some) (?:\w+[\s-]){0,3}(?:library|libraries|tool|tools|package|packages|way|ways|alternative|alternatives|option|options|plugin|api|existing|solution)`,
      String.raw`(?:what|which) (?:\w+ ){0,2}(?:alternatives|options|libraries|library|packages?|frameworks?)`,
      String.raw`where (?:is|are|do|does|did|was)\b[^\n?]*\b(?:defined|declared|implemented|used|called|located|set|stored|configured|handled)`,
    ],
    asksWith: [],
    zhAsks: [
      '调研|调查|搜索(?!功能|框|页|接口|栏|按)|搜一下|搜下|查一下|查下|查找|查查|查资料|找一下|找出|找找',
      '找到所有|对比|比较一下|有没有.{0,12}(?:库|工具|办法|方法|替代)|看看.{0,10}(?:哪里|在哪|哪些)|列出|梳理',
      '了解一下',
    ],
    words: ['research|benchmarks?|alternatives|compar(?:e|ison|ing)|look up|find out|usages'],
    zhWords: ['调研|资料|对比'],
  },
  {
    tag: 'explain',
    description: 'questions, summaries, understanding',
    asks: [
      'explain|describe|summari[sz]e|clarify|elaborate|tell|walk me|teach|help me understand|understand|recap',
      'interpret|show me (?:how|what|where|why|when)',
      "what(?:['’]?s| is| are| does| do| did| was| were| happens?| kind| type| version| about| if| would| will| exactly| tools?| else)?",
      String.raw`how (?:do|does|did|is|are(?: \w+){2}|can|could|come|to|much|many|long|often|big|would|will|exactly)|why`,
      String.raw`(?:when|where|who|which|whose)\b[^\n]*\?`,
      '(?:when|where) (?:is|are|was|were|do|does|did|will|should|can|has|have)',
      'who (?:is|are|calls|uses|wrote|owns)',
      String.raw`(?:is|are|was|were|does|do|did|has|have|had) (?:it|this|that|these|those|the|there|we|you|i|they|my|our|your|any|all|@?\w+)\b[^\n]*\?`,
      String.raw`(?:can|could|should|would|will|must|may) (?:i|it|this|that|they|there|the)\b[^\n]*\?`,
      "i (?:don['’]?t|do not) (?:understand|get)",
    ],
    asksWith: [['give|write|provide', 'overview|summary|explanation|recap|tl;?dr']],
    zhAsks: [
      '解释|讲讲|讲一下|讲解|理解一下|介绍|总结|概括|归纳|告诉我|说说|说一下|说明一下|什么是|是什么|什么意思',
      '啥意思|怎么(?:工作|运行|实现的|回事|理解|用)|如何(?:工作|运行|理解|使用)|原理|有什么区别|有啥区别|区别是',
    ],
    words: ['explain(?:s|ed|ing)?|explanation|overview|summary|understand'],
    zhWords: ['为什么|为何|什么|如何|怎么|哪里|吗[？?]|吗$|呢[？?]'],
  },
];
