import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redactFrame, redactorFor, redactText } from '../../src/privacy/redact.ts';
import { ASSIGNED, type Canary, canariesIn, EMAILS, HOMES, SHAPED } from './canaries.ts';

const TOLD_BY_SHAPE: readonly Canary[] = [...SHAPED, ...ASSIGNED, ...EMAILS, ...HOMES];

describe('what must not leave is taken out wherever it stands', () => {
  const places: [place: string, around: (text: string) => string][] = [
    ['alone', text => text],
    ['in a sentence', text => `Please use ${text} for this, thanks.`],
    ['in Chinese text', text => `请使用 ${text} 登录。`],
    ['in quotes', text => `run("${text}")`],
    ['in JSON', text => JSON.stringify({ command: text })],
    ['in JSON inside JSON', text => JSON.stringify({ arguments: JSON.stringify({ command: `a\n${text}\nb` }) })],
    ['after other lines', text => `one\ntwo\r\n${text}\nthree`],
  ];
  const cases = TOLD_BY_SHAPE.flatMap(canary =>
    places.map(([place, around]) => [canary.name, place, around(canary.text), canary] as const),
  );
  test.each(cases)('%s %s', (_, __, text, canary) => {
    expect(canariesIn(redactText(text), [canary])).toEqual([]);
  });

  test.each(SHAPED.map(canary => [canary.name, canary] as const))(
    '%s in the name of a file and of a branch',
    (_, canary) => {
      expect(canariesIn(redactFrame('file', `src/${canary.text}/a.ts`), [canary])).toEqual([]);
      expect(canariesIn(redactFrame('branch', `fix-${canary.text}`), [canary])).toEqual([]);
    },
  );
});

describe('a home that looks like none is one where the machine says so', () => {
  const here = redactorFor([], {
    homes: ['/srv/people/bobcanary/', '/', '/tmp', 'D:\\people\\eve.canary'],
    users: ['zoecanary', 'root'],
  });
  test.each([
    ['/srv/people/bobcanary/models/x.gguf', '~/models/x.gguf'],
    [
      'cat "/srv/people/bobcanary"; ls /srv/people/bobcanary2 /x/srv/people/bobcanary',
      'cat "~"; ls /srv/people/bobcanary2 /x/srv/people/[user]',
    ],
    ['one\\n/srv/people/bobcanary/a', 'one\\n~/a'],
    ['-srv-people-bobcanary-proj', '-srv-people-[user]-proj'],
    ['D:\\people\\eve.canary\\a and eve-canary', '~\\a and [user]'],
    ['fix/bobcanary-login by zoecanary, not by root', 'fix/[user]-login by [user], not by root'],
    ['/tmp/a /', '/tmp/a /'],
  ])('%s', (text, clean) => {
    expect(here.text(text)).toBe(clean);
    expect(here.text(clean)).toBe(clean);
    expect(here.frame('file', text)).toBe(clean);
  });

  test('also in names that are the vocabulary of agents', () => {
    expect(here.frame('model', '/srv/people/bobcanary/models/x.gguf')).toBe('~/models/x.gguf');
    expect(here.frame('model', 'bobcanary-max')).toBe('bobcanary-max');
  });

  test('and what a service has for a home takes nothing but its path', () => {
    const service = redactorFor([], { homes: ['/var/lib/widget', '/data'] });
    expect(service.text('widget data in /var/lib/widget/x, /data/y and /database')).toBe(
      'widget data in ~/x, ~/y and /database',
    );
  });
});

describe('a name that was shortened in its middle keeps neither end of a secret', () => {
  // Names are shortened from a hundred characters on; these are shorter, and have no beginning of their own.
  const whole = ['Telegram bot token', 'Discord bot token', 'Azure client secret'];
  test.each(SHAPED.filter(({ name }) => !whole.includes(name)).map(canary => [canary.name, canary] as const))(
    '%s',
    (_, canary) => {
      const clean = redactFrame('file', `src/${canary.text.slice(0, 24)}…${canary.text.slice(-16)}.txt/a.ts`);
      expect(canariesIn(clean, [canary])).toEqual([]);
      expect(clean).toBe('src/[redacted]/a.ts');
    },
  );

  test('and an ordinary one stays', () => {
    expect(redactFrame('file', 'src/a-very-long-name…of-a-file.ts')).toBe('src/a-very-long-name…of-a-file.ts');
  });
});

describe('what stands around a secret stays', () => {
  const key = `gh${'p_'}${'a1B2c3D4'.repeat(5)}`;
  const cases: [before: string, after: string][] = [
    [`git clone https://x-access-token:${key}@github.com/a/b.git`, 'git clone https://[redacted]@github.com/a/b.git'],
    ['git clone git@github.com:a/b.git', 'git clone git@github.com:a/b.git'],
    ['git clone ssh://git@github.com/a/b.git', 'git clone ssh://git@github.com/a/b.git'],
    [`GITHUB_TOKEN=${key} npm run release`, 'GITHUB_TOKEN=[redacted] npm run release'],
    ['{"user":"x1","password":"hunter2","port":1}', '{"user":"x1","password":"[redacted]","port":1}'],
    ['{\\"password\\":\\"hunter2\\",\\"port\\":1}', '{\\"password\\":\\"[redacted]\\",\\"port\\":1}'],
    ['mysql -h db -uroot -phunter2 shop', 'mysql -h db -uroot -p[redacted] shop'],
    ["mysqldump -p'hunter2 x' shop", "mysqldump -p'[redacted] x' shop"],
    ['mysql -u root -p shop -P3306', 'mysql -u root -p shop -P3306'],
    ['sshpass -p hunter2 ssh h', 'sshpass -p [redacted] ssh h'],
    ['docker login -u bob -p hunter2 r.io', 'docker login -u bob -p [redacted] r.io'],
    ['docker run -p 80:80 login -u bob', 'docker run -p 80:80 login -u bob'],
    ['curl -s -ubob:hunter2 http://h', 'curl -s -u[redacted] http://h'],
    ['http --auth bob:hunter2 http://h', 'http --auth [redacted] http://h'],
    ['unzip -P hunter2 a.zip', 'unzip -P [redacted] a.zip'],
    ['openssl enc -k1 -pass pass:hunter2', 'openssl enc -k1 -pass pass:[redacted]'],
    ['redis-cli -h r -a hunter2 ping', 'redis-cli -h r -a [redacted] ping'],
    ['mkdir -p src/mysql && cp -p a b', 'mkdir -p src/mysql && cp -p a b'],
    ["password: 'hunter2' # old", "password: '[redacted]' # old"],
    ['login(password="hunter2", retry=3)', 'login(password="[redacted]", retry=3)'],
    ['login(password=hunter2, retry=3)', 'login(password=[redacted], retry=3)'],
    ['mysql --password hunter2 shop', 'mysql --password [redacted] shop'],
    ['PASSPHRASE="correct horse battery"', 'PASSPHRASE="[redacted]"'],
    ['/a?api_key=abc123def&x=1', '/a?api_key=[redacted]&x=1'],
    [
      'curl -H "Authorization: Bearer abc123def456ghi789" https://a.example',
      'curl -H "Authorization: Bearer [redacted]" https://a.example',
    ],
    ['curl -u bob:hunter2 https://a.example', 'curl -u [redacted] https://a.example'],
    ['Co-Authored-By: A B <a.b@example.com>', 'Co-Authored-By: A B <[email]>'],
    ['notes/a.b@example.com.txt', 'notes/[email]'],
    ['cat /home/wilhelmina/shop/src/a.ts', 'cat ~/shop/src/a.ts'],
    ['PATH=/usr/bin:/home/wilhelmina/bin', 'PATH=/usr/bin:~/bin'],
    ['gcc -I/home/wilhelmina/include', 'gcc -I~/include'],
    ['file:///home/wilhelmina/a.html', 'file://~/a.html'],
    ['/mnt/c/Users/wilhelmina/a and /var/home/wilhelmina', '~/a and ~'],
    ['C:\\\\Users\\\\wilhelmina\\\\a.ts', '~\\\\a.ts'],
    ['D:/Users/wilhelmina/a.ts', '~/a.ts'],
    ['%2Fhome%2Fwilhelmina%2Fa', '~%2Fa'],
    ['cd /root/app && ls /root', 'cd ~/app && ls ~'],
    ['in /home/wilhelmina. Then', 'in ~. Then'],
    ['projects/-home-wilhelmina-shop/a.jsonl', 'projects/-home-[user]-shop/a.jsonl'],
    ['projects/C--Users-wilhelmina-shop', 'projects/C--Users-[user]-shop'],
    ['/home/wilhelmina/a was made by Wilhelmina (wilhelmina-pc)', '~/a was made by [user] ([user]-pc)'],
    [
      'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.x',
      'arn:aws:bedrock:us-east-1:[account]:inference-profile/us.x',
    ],
  ];
  test.each(cases)('%s', (before, after) => {
    expect(redactText(before)).toBe(after);
  });
});

describe('plain words, code, paths, hosts, hashes and ids stay as they are', () => {
  test.each([
    '',
    'debug',
    '修复登录问题',
    'src/token.ts',
    'src/auth/password_reset.py',
    'tests/secrets/test_api_key.py',
    'docs/home/index.md',
    'src/pages/home/settings.tsx',
    'src/users/list.ts',
    './home/a',
    '~/shop/src',
    'external/home',
    '/etc/hosts',
    '/usr/local/bin/node',
    '/rootfs/etc',
    '/tmp/root/a',
    'node_modules/@types/node/index.d.ts',
    'icon@2x.png',
    'react@18.2.0',
    'pkg@1.2.3-beta.next',
    'actions/checkout@v4',
    'claude-sonnet-4-5@20250929',
    'claude-sonnet-4-5-20250929',
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'gpt-5.1-codex-max',
    'github.com',
    'api.example.co.uk',
    'localhost:8080',
    'https://example.com/home/about?page=2#token',
    'https://example.com/users/42',
    'http://127.0.0.1:8080/v1/chat',
    '9fceb02d0ae598e95dc970b74767f19372d61af8',
    '0d94d2f8c7f4e5a6b7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4',
    '550e8400-e29b-41d4-a716-446655440000',
    'sha512-Zx9Qm1YvK3Tn8Lw2Rb7Hc5Df0Gs4Jp6Va==',
    'token:input',
    'token:cache_read',
    'max_tokens=4096',
    'input_tokens: 12345',
    'token: string',
    'token?: string;',
    'let token = getToken();',
    'password = process.env.DB_PASSWORD',
    'password=os.environ["DB_PASSWORD"]',
    'password=$DB_PASSWORD',
    `token: $${'{'}{ secrets.GITHUB_TOKEN }}`,
    'Authorization: Bearer $TOKEN',
    'authorization: required',
    'if (token === expected) return;',
    'password=password',
    'def login(user, password=None):',
    'reset your password: click here',
    'The token is invalid. Please sign in again.',
    'password: ********',
    'PWD=/tmp/build',
    'token=/var/run/token',
    'key: value',
    'cache_key=abc123def456',
    'primary_key=True',
    'docker run -u 1000:1000 image',
    'docker run --user $(id -u):$(id -g) image',
    'task-management-for-the-long-list-of-things',
    'sk-fix-the-login-page-of-2024',
    'fix/sk-1234-some-longer-branch-name',
    'risk-assessment-2024-q3-final-version',
    'npm_config_registry',
    'npm_lifecycle_event',
    'hf_hub_download',
    'xoxo',
    'AKIA',
    'eyJ',
    '@app.route("/a")',
    'a @ b',
    'root cause',
    'userland',
    '/Users/Shared/data',
    '/home/$USER/bin',
    '/home/<name>/bin',
    'MCP server "token-counter" started',
    'mcp__password-manager__list',
  ])('%s', text => {
    expect(redactText(text)).toBe(text);
    expect(redactFrame('file', text)).toBe(text);
  });
});

describe('user names', () => {
  const { frame, text } = redactorFor([
    '/home/wilhelmina/shop',
    'C:\\Users\\Otto Kowalk\\x',
    '/home/li.wei/a',
    '/root',
    '/home/runner/work',
    '/Users/max',
  ]);

  test('known from the working directories vanish from frames and text as whole words', () => {
    expect(frame('file', 'exports/Wilhelmina/report.md')).toBe('exports/[user]/report.md');
    expect(frame('branch', 'wilhelmina-fix')).toBe('[user]-fix');
    expect(text('ask otto kowalk or li.wei')).toBe('ask [user] or [user]');
    expect(text('~/.claude/projects/-home-li-wei-a')).toBe('~/.claude/projects/-home-[user]-a');
  });

  test('inside longer words stay', () => {
    expect(text('wilhelminas maximum')).toBe('wilhelminas maximum');
  });

  test('that every machine has do not turn ordinary words into placeholders', () => {
    expect(text('the runner found the root cause')).toBe('the runner found the root cause');
  });

  test('do not eat the vocabulary of agents', () => {
    expect(frame('model', 'gpt-5.1-codex-max')).toBe('gpt-5.1-codex-max');
    expect(frame('file', 'max.ts')).toBe('[user].ts');
  });
});

test('no name of any length and no number of names breaks redaction', () => {
  expect(redactText(`/home/${'a'.repeat(200_000)}/x`)).toBe('~/x');
  expect(redactText(`/home/${'.'.repeat(200_000)}x/y`)).toBe('~/y');
  const many = Array.from({ length: 5000 }, (_, at) => `/home/user${at}`).join(' ');
  expect(redactText(many)).toBe(Array(5000).fill('~').join(' '));
  expect(redactorFor(many.split(' ')).text('a plain sentence')).toBe('a plain sentence');
});

describe('redacting is safe to do again', () => {
  const plain = fc.oneof(
    fc.constantFrom(
      'password=',
      'token: ',
      '"secret":"',
      'Authorization: ',
      '://',
      '@',
      '/home/',
      '/Users/',
      'C:\\Users\\',
      '\\n',
      '/root',
      '~',
      '[user]',
      '[redacted]',
      '…',
      '[email]',
      ' ',
      '"',
      "'",
      '-',
      '.',
      ',',
      '\n',
      'eyJ',
      'sk-',
      'alice',
      'bob.com',
      '-home-',
      '密码：',
      '--token ',
      '-u ',
    ),
    fc.string({ maxLength: 12 }),
    fc.string({ unit: fc.constantFrom(...'abZ019-_./+='), minLength: 16, maxLength: 48 }),
  );
  const pieces = fc.oneof(plain, fc.constantFrom(...TOLD_BY_SHAPE.map(({ text }) => text)));
  const joined = (parts: typeof plain) => fc.array(parts, { maxLength: 12 }).map(list => list.join(''));
  const texts = joined(pieces);

  test('text that was redacted once does not change any more', () => {
    fc.assert(
      fc.property(texts, text => {
        const once = redactText(text);
        expect(redactText(once)).toBe(once);
      }),
      { numRuns: 3000 },
    );
  });

  test('with known users too', () => {
    const { text: clean } = redactorFor(['/home/alice']);
    fc.assert(
      fc.property(texts, text => {
        const once = clean(text);
        expect(clean(once)).toBe(once);
        expect(once).not.toMatch(/(?<![A-Za-z0-9\\])alice(?![A-Za-z0-9])/);
      }),
      { numRuns: 1000 },
    );
  });

  test('a secret between spaces comes out of any text', () => {
    fc.assert(
      fc.property(joined(plain), fc.constantFrom(...SHAPED), joined(plain), (before, canary, after) => {
        expect(canariesIn(redactText(`${before} ${canary.text} ${after}`), [canary])).toEqual([]);
      }),
    );
  });
});

describe('a home right behind letters', () => {
  test.each([
    ['tool', 'mcp__fs/home/alicew/x', 'mcp__fs~/x'],
    ['tool', 'run/Users/alicew', 'run~'],
    ['mcp_server', 'files/home/alicew', 'files~'],
    ['file', 'src/home/page.ts', 'src/home/page.ts'],
  ])('in a %s: %s', (kind, value, clean) => expect(redactFrame(kind, value)).toBe(clean));
});

describe('a path that is shown is one that a shell opens', () => {
  const { path } = redactorFor(['/home/ada', '/Users/grace.hopper/shop']);
  test.each([
    ['/home/ada/.codex/sessions/a.jsonl', '~/.codex/sessions/a.jsonl'],
    ['/home/ada', '~'],
    ['/home/adamant/x', '/home/*/x'],
    ['/home/ada/.claude/projects/-home-ada-shop/a.jsonl', '~/.claude/projects/-home-*-shop/a.jsonl'],
    ['/home/ada/.claude/projects/-home-bob-shop/a.jsonl', '~/.claude/projects/-home-*-shop/a.jsonl'],
    ['/home/ada/.claude/projects/-Users-grace-hopper-shop/a.jsonl', '~/.claude/projects/-Users-*-shop/a.jsonl'],
    ['/mnt/backup/home/bob/.claude/a.jsonl', '/mnt/backup/home/*/.claude/a.jsonl'],
    ['/mnt/home/.claude/a.jsonl', '/mnt/home/.claude/a.jsonl'],
    ['/home/ada/ada/ada@example.com/a.jsonl', '~/*/*/a.jsonl'],
    ['/srv/share/x.jsonl', '/srv/share/x.jsonl'],
  ])('%s is %s', (whole, shown) => expect(path(whole, '/home/ada')).toBe(shown));

  test('without a home, or with one that holds everything, nothing is taken for it', () => {
    expect([path('/srv/x', ''), path('/srv/x', '/')]).toEqual(['/srv/x', '/srv/x']);
  });
});
