// @ts-check
// The three projects of the sample: what lies in them, how they are tested, and where their people look things up.

/**
 * @typedef {object} Area a part of a project that prompts speak of
 * @property {string} en
 * @property {string} zh
 * @property {readonly string[]} files the first is the one that matters
 * @property {string} test its test file
 * @property {string} check the command that runs its tests
 * @property {string} symbol what one would search for
 * @property {string} symptom what goes wrong, as a person says it
 * @property {string} symptomZh
 * @property {string} failure what the failing test prints
 *
 * @typedef {object} Project
 * @property {string} name
 * @property {string} cwd
 * @property {readonly Area[]} areas
 * @property {string} build
 * @property {string} lint
 * @property {string} lintFailure
 * @property {string} slow a check that takes minutes
 * @property {string} install
 * @property {readonly string[]} release
 * @property {readonly string[]} docs
 * @property {readonly string[]} pages
 * @property {string} probe a command that asks a running service
 * @property {readonly string[]} branches
 * @property {string} secret a file with secrets that somebody looks into
 */

/** @type {Project} */
const shopfront = {
  name: 'shopfront',
  cwd: '/home/dev/shopfront',
  areas: [
    {
      en: 'the login',
      zh: '登录',
      files: ['src/auth/session.ts', 'src/auth/login.ts', 'src/auth/cookies.ts'],
      test: 'test/auth/session.test.ts',
      check: 'npm test -- auth',
      symbol: 'expiresAt',
      symptom: 'users get a 500 after the redirect',
      symptomZh: '跳转之后返回500',
      failure: 'AssertionError: expected 500 to be 302',
    },
    {
      en: 'the cart total',
      zh: '购物车总价',
      files: ['src/cart/total.ts', 'src/cart/discount.ts'],
      test: 'test/cart/total.test.ts',
      check: 'npm test -- cart',
      symbol: 'applyDiscount',
      symptom: 'the discount is taken off twice',
      symptomZh: '折扣被重复计算',
      failure: 'AssertionError: expected 72 to be 80',
    },
    {
      en: 'the checkout',
      zh: '结账流程',
      files: ['src/checkout/payment.ts', 'src/checkout/order.ts', 'src/checkout/address.ts'],
      test: 'test/checkout/payment.test.ts',
      check: 'npm test -- checkout',
      symbol: 'confirmPayment',
      symptom: 'the order is saved before the payment is confirmed',
      symptomZh: '支付没确认订单就保存了',
      failure: 'Error: timeout of 5000 ms exceeded',
    },
    {
      en: 'the product search',
      zh: '商品搜索',
      files: ['src/search/query.ts', 'src/search/rank.ts'],
      test: 'test/search/query.test.ts',
      check: 'npm test -- search',
      symbol: 'rankByPrice',
      symptom: 'an empty query throws',
      symptomZh: '空查询会抛异常',
      failure: "TypeError: Cannot read properties of undefined (reading 'trim')",
    },
  ],
  build: 'npm run build',
  lint: 'npx eslint src',
  lintFailure: "src/auth/login.ts 14:7 error 'token' is never reassigned  prefer-const",
  slow: 'npx playwright test',
  install: 'npm install date-fns',
  release: [
    'npm version minor',
    'npm run build',
    'git push --follow-tags origin main',
    'gh release create v2.4.0 --notes-file CHANGELOG.md',
  ],
  docs: ['README.md', 'docs/api.md', 'docs/deploy.md'],
  pages: [
    'https://developer.mozilla.org/en-US/docs/Web/HTTP/Cookies',
    'https://docs.stripe.com/payments',
    'https://playwright.dev/docs/test-timeouts',
  ],
  probe: 'curl -si http://localhost:3000/login',
  branches: ['fix/login-redirect', 'feat/wishlist', 'main'],
  secret: '.env.production',
};

/** @type {Project} */
const tidyparse = {
  name: 'tidyparse',
  cwd: '/home/dev/tidyparse',
  areas: [
    {
      en: 'the lexer',
      zh: '词法分析器',
      files: ['src/lexer.rs', 'src/token.rs'],
      test: 'tests/lexer.rs',
      check: 'cargo test --test lexer',
      symbol: 'next_token',
      symptom: 'a trailing comma ends the input',
      symptomZh: '末尾的逗号导致提前结束',
      failure: "thread 'trailing_comma' panicked: assertion failed: left == right",
    },
    {
      en: 'the parser',
      zh: '解析器',
      files: ['src/parser.rs', 'src/ast.rs', 'src/error.rs'],
      test: 'tests/parser.rs',
      check: 'cargo test --test parser',
      symbol: 'parse_expression',
      symptom: 'nested lists overflow the stack',
      symptomZh: '嵌套列表会栈溢出',
      failure: "thread 'deep_nesting' has overflowed its stack",
    },
    {
      en: 'the formatter',
      zh: '格式化模块',
      files: ['src/format.rs', 'src/indent.rs'],
      test: 'tests/format.rs',
      check: 'cargo test --test format',
      symbol: 'write_indented',
      symptom: 'comments lose their indentation',
      symptomZh: '注释的缩进丢失',
      failure: 'golden file tests/golden/comments.txt differs at line 12',
    },
  ],
  build: 'cargo build --release',
  lint: 'cargo clippy -- -D warnings',
  lintFailure: 'error: this expression borrows a value the compiler would automatically borrow',
  slow: 'cargo bench',
  install: 'cargo add thiserror',
  release: ['cargo build --release', 'git tag v0.9.0', 'git push origin v0.9.0', 'cargo publish'],
  docs: ['README.md', 'docs/grammar.md'],
  pages: [
    'https://doc.rust-lang.org/std/iter/struct.Peekable.html',
    'https://docs.rs/logos',
    'https://matklad.github.io/2020/04/13/simple-but-powerful-pratt-parsing.html',
  ],
  probe: 'cargo run -q -- check samples/deep.tidy',
  branches: ['refactor/pratt-parser', 'fix/trailing-comma', 'main'],
  secret: '../.cargo/credentials.toml',
};

/** @type {Project} */
const fieldnotes = {
  name: 'fieldnotes',
  cwd: '/home/dev/fieldnotes',
  areas: [
    {
      en: 'the import of sensor files',
      zh: '传感器数据导入',
      files: ['fieldnotes/ingest.py', 'fieldnotes/schema.py'],
      test: 'tests/test_ingest.py',
      check: 'pytest -x -q tests/test_ingest.py',
      symbol: 'read_rows',
      symptom: 'rows with a comma in the note are dropped',
      symptomZh: '备注里有逗号的行被丢掉',
      failure: 'E       assert 41 == 42',
    },
    {
      en: 'the weekly report',
      zh: '周报',
      files: ['fieldnotes/report.py', 'fieldnotes/charts.py'],
      test: 'tests/test_report.py',
      check: 'pytest -x -q tests/test_report.py',
      symbol: 'weekly_mean',
      symptom: 'the week starts on the wrong day',
      symptomZh: '每周的起始日不对',
      failure: "E       KeyError: 'week'",
    },
    {
      en: 'the map export',
      zh: '地图导出',
      files: ['fieldnotes/geo.py', 'fieldnotes/export.py'],
      test: 'tests/test_geo.py',
      check: 'pytest -x -q tests/test_geo.py',
      symbol: 'to_geojson',
      symptom: 'longitude and latitude are swapped',
      symptomZh: '经纬度颠倒',
      failure: 'E       assert [47.4, 8.5] == [8.5, 47.4]',
    },
  ],
  build: 'python -m build',
  lint: 'ruff check fieldnotes',
  lintFailure: 'fieldnotes/ingest.py:31:5: F841 Local variable `row` is assigned to but never used',
  slow: 'docker compose run --rm nightly',
  install: 'pip install httpx',
  release: ['python -m build', 'git tag v1.6.0', 'git push origin v1.6.0', 'twine upload dist/fieldnotes-1.6.0.tar.gz'],
  docs: ['README.md', 'docs/columns.md'],
  pages: [
    'https://docs.python.org/3/library/csv.html',
    'https://geojson.org/',
    'https://pandas.pydata.org/docs/reference/frame.html',
  ],
  probe: 'curl -s https://sensors.example.org/v2/stations',
  branches: ['main', 'fix/csv-quotes'],
  secret: '.env',
};

export const PROJECTS = { shopfront, tidyparse, fieldnotes };
