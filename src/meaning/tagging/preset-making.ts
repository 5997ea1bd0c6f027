import { MAKE, type Vocabulary } from './vocabulary.ts';

/** Work that makes or changes something, the narrow kinds before the wide ones. Comes after INQUIRY. */
export const MAKING: readonly Vocabulary[] = [
  {
    tag: 'data',
    description: 'databases, data sets, figures',
    asks: ['query|plot|visuali[sz]e|backfill|scrape|aggregate|chart'],
    asksWith: [
      [
        `${MAKE}|draw|render`,
        String.raw`sql|migrations?|(?:database|db|sql|postgres|mysql|sqlite) \w+|(?:database |db |table )?schemas?`,
        'datasets?|data set|csv|seed data|charts?|plots?|histograms?|etl',
        String.raw`tables? (?:for|with|called|named|to store)|\S+\.(?:csv|parquet|sql)|dataframes?`,
        'stored procedures?|quer(?:y|ies) (?:that|for|to|which|returning)|views? in the database',
        'index (?:on|for)',
      ],
      [
        'migrate|clean|analy[sz]e|import|export|load|parse|convert|transform|merge|sample|filter|normali[sz]e|dump|join|ingest',
        'data|dataset|datasets|data set|database|db|csv|csvs|tables?|parquet|excel',
        String.raw`\S+\.(?:csv|tsv|parquet|xlsx?|sqlite|sql)|spreadsheets?|records|dataframe`,
      ],
      ['optimi[sz]e|speed up|rewrite|run|execute', 'query|queries|sql'],
    ],
    zhAsks: [
      String.raw`数据库|\bsql\b|查询.{0,12}(?:表|数据|记录|销售|用户数)|表结构|数据迁移|建表|加.{0,6}索引`,
      '导[入出].{0,10}(?:数据|csv|excel|表格|库)|分析.{0,8}数据|数据分析|图表|画.{0,8}图|统计|清洗|数据集|爬取',
    ],
    words: [String.raw`sql|datasets?|csv|parquet|postgres\w*|mysql|sqlite|dataframes?|histograms?|database|queries`],
    zhWords: ['数据库|数据集|报表'],
  },
  {
    tag: 'ui',
    description: 'what the user sees: layout, style, components',
    asks: ['style|restyle|redesign'],
    asksWith: [
      [
        MAKE,
        'buttons?|navbar|nav bar|sidebar|modal|dialogs?|tooltips?|dropdowns?|layout|css|styles?',
        'stylesheet|themes?|dark mode|light mode|icons?|fonts?|font size|colou?rs?|paddings?|margins?',
        'pages?|landing page|(?:login|signup|sign-up|contact|search) form|menus?|animations?|responsive',
        'ui|ux|gui|spinner|toasts?|(?:react |vue |svelte |ui )?components?|placeholder|logo|banner',
        'search (?:box|bar)|input field|text box|headings?',
        '(?:header|footer) (?:sticky|fixed|bigger|smaller)|screens?|popup|checkbox|slider|progress bar',
        'favicon',
      ],
    ],
    zhAsks: [
      '界面|页面|网页|按钮|样式|布局|颜色|字体|弹窗|组件|图标|暗[色黑]|深色|主题色?|居中|对齐|导航栏|侧边栏',
      '响应式|动画|菜单|输入框|排版|布局',
    ],
    words: [
      'buttons?|css|ui|ux|layout|sidebar|navbar|modal|dark mode|fonts?|frontend|front-end|responsive|tooltip',
      'centered|stylesheet|too (?:small|big|large|wide|narrow)|mobile|tailwind|colou?rs?|sticky',
    ],
    zhWords: ['前端|首页|字号|样式'],
  },
  {
    tag: 'ops',
    description: 'build, run, release and operate',
    asks: [
      '(?:re)?deploy|release|publish|provision|roll ?back|dockeri[sz]e|containeri[sz]e|restart|reboot|launch',
      'spin up|spin down|tear down|compile|lint|serve|monitor|ssh|check (?:the )?(?:status|health|logs?)|tail',
      '(?:start|stop|kill|run|rerun|re-run|boot)(?: up)? (?:it|this|that|them|again|the|a|an|npm|pnpm|yarn|make|docker|cargo|python|node|go|in)',
      'run',
      'build (?:it|the (?:project|image|images|container|binary|binaries|release|package|packages|app|docs|docker image|bundle|wheel))',
    ],
    asksWith: [
      ['scale', 'up|down|out|to|replicas?|pods?|workers?|instances?'],
      [
        MAKE,
        String.raw`dockerfile|docker-compose(?:\.ya?ml)?|docker image`,
        String.raw`(?:ci|cd|ci/cd|build|release|deployment) pipelines?|pipelines?|github actions?(?: \w+)?`,
        String.raw`(?:ci|github|release) workflows?|helm charts?|terraform(?: \w+)?|kubernetes \w+|k8s \w+`,
        String.raw`ci(?: job)?|cron ?jobs?|systemd \w+|nginx(?: \w+)?|health ?checks?|replicas?|load balancer`,
        'monitoring|alerts?|deploy(?:ment)? scripts?',
      ],
    ],
    zhAsks: [
      '部署|发布|日志.{0,4}看|看.{0,6}日志|上线|发版|回滚|重启',
      '启动(?:服务|一下|项目|应用|起来|开发|后端|前端|$)|打包|构建|编译|跑起来|跑一下|运行|容器|镜像|docker|k8s',
      String.raw`流水线|\bci\b|监控|扩容`,
    ],
    words: [
      'deploy(?:s|ed|ing|ment|ments)?|docker(?:file)?|kubernetes|k8s|terraform|ci|pipelines?',
      'releas(?:e|es|ed|ing)|staging|production|rollback|goreleaser',
    ],
    zhWords: ['部署|服务器|上线|生产环境'],
  },
  {
    tag: 'config',
    description: 'settings, dependencies, tools',
    asks: [
      'configure|reconfigure|set ?up|install|reinstall|uninstall|upgrade|downgrade|bump|enable|disable|pin',
      String.raw`activate|(?:${MAKE})\s[^\n!?;]*\s(?:\.env|tsconfig\.json|package\.json|config(?:uration)?)`,
    ],
    asksWith: [
      [
        MAKE,
        'config(?:s|uration|urations)?(?: files?)?|settings?|env(?:ironment)? vars?',
        String.raw`env(?:ironment)? variables?|\.env|eslint\w*|prettier|tsconfig(?:\.json)?|webpack`,
        String.raw`(?:dev[- ]?)?dependenc(?:y|ies)|package\.json|\.?gitignore|editorconfig|pre-commit(?: hooks?)?`,
        'lint(?:ing)? rules?|ya?ml|toml|permissions?|api keys?|git hooks?|feature flags?|timeouts?',
        'limits?',
      ],
    ],
    zhAsks: [
      '配置|安装|装(?:一下|个|上)|配(?:一下|个|好)|(?:端口|超时|代理|日志级别).{0,6}(?:改|设|调|换)|卸载|升级',
      '降级|升到|降到|依赖|环境变量|启用|禁用|开启|关闭.{0,6}(?:功能|选项|模式)|设置(?:成|为|一下|好|项)',
      '接入.{0,6}mcp',
    ],
    words: [
      String.raw`config(?:uration)?|settings?|dependenc(?:y|ies)|tsconfig(?:\.json)?|eslint|env vars?`,
      'environment variables?|upgrade',
    ],
    zhWords: ['配置|依赖|设置|环境'],
  },
  {
    tag: 'refactor',
    description: 'the same behaviour in a better form',
    asks: [
      'refactor(?:ing)?|simplify|clean ?up|cleanup|tidy(?: up)?|restructure|reorgani[sz]e|rename|extract|inline',
      String.raw`dedup\w*|decouple|moduleri[sz]e|modulari[sz]e|split|consolidate|optimi[sz]e|speed up|rewrite`,
      'moderni[sz]e|unify|streamline|convert|port|migrate|reformat|format|reduce|get rid of',
      String.raw`merge (?:these|those|the|both|all) (?:\w+ ){0,2}(?:functions|classes|files|modules|methods|components|helpers|tests|structs|types|into)`,
      String.raw`make\s[^\n!?;]*(?:faster|simpler|cleaner|shorter|smaller|more readable|reusable|generic)`,
    ],
    asksWith: [
      ['move', 'to|into|out|from|up|down|under'],
      ['remove|delete|drop', String.raw`dead code|unused \w+|duplicat\w+|legacy \w+|deprecated \w+`],
      [
        'improve|increase|cut',
        'duplication|complexity|performance|readability|structure|naming|allocations?|memory|speed',
        'latency|maintainability',
      ],
    ],
    zhAsks: [
      '重构|优化|简化|重命名|改名|抽[取成出]|提取|拆分|拆成|拆到|合并成|合并.{0,12}(?:函数|类|文件|模块|方法)',
      '去重|精简|清理|没用的|无用的?|未使用|解耦|重写|改得更|更(?:清晰|清楚|简洁|易读)|提升.{0,6}性能|整理一下',
      '代码.{0,6}乱',
    ],
    words: [
      'refactor(?:s|ed|ing|ings)?|clean-?up|duplicat(?:e|ed|ion)|dead code|too slow',
      'speed (?:it|this|that|things) up|performance|optimi[sz](?:e|ed|ing|ation|ations)|readability',
      'technical debt|simplif(?:y|ied|ication)',
    ],
    zhWords: ['重构|性能|重复代码|冗余'],
  },
  {
    tag: 'implement',
    description: 'new or changed behaviour',
    asks: [
      'implement|add|create|build|write|generate|support|introduce|develop|code|integrate|wire(?: up)?|hook',
      'extend|scaffold|bootstrap|finish|complete|change|update|modify|remove|delete|drop|replace|allow|handle',
      'use|switch|set|apply|turn|expose|return|make|let (?:the|users?|it|people)',
      'give (?:the|it|this|users?|each|every)',
      '(?:the |a |our )?(?:users?|people|admins?|clients?|customers?) (?:should|must|need to|can|want to)',
      String.raw`the \w+ (?:to|should) (?:accept|support|return|handle|take|be able)|keep|include|store|save|send|put|do`,
      'start (?:with|by|on|implementing|working)|work on|adapt|adjust|append|insert|ensure|make sure|emulate',
      'prevent|validate|improve',
    ],
    asksWith: [],
    zhAsks: [
      '实现|用户.{0,3}(?:能|可以)|新增|添加|增加|加(?:一|两|些|点|个|上|下|入|了|条|到|几)|写(?:一|个|段|出|下)',
      '创建|新建|开发|支持|做(?:一|个|出)|改成|改为|改用|换成|删除|删掉|去掉|移除|生成|接入|集成|封装|补全',
      '完成.{0,12}(?:功能|模块|接口|部分)',
    ],
    words: [
      'implement(?:s|ed|ing|ation)?|features?|add(?:s|ed|ing)?|creat(?:e|ed|ing)|build|support|write|make',
      'change|remove|endpoint',
    ],
    zhWords: ['功能|接口|需求|修改|自动|参数'],
  },
];
