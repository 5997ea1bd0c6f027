import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { lexShell } from '../../src/effects/shell/lexer.ts';
import { runScript } from '../../src/effects/shell/run.ts';
import { treeShell } from '../../src/effects/shell/tree.ts';
import { loadShellParser, readShell } from '../../src/effects/shell.ts';
import { readingText } from './notation.ts';

const parser = await loadShellParser();
if (!parser) throw new Error('the shell grammar is not installed');

const CASES = readFileSync(new URL('./command-lines.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter(line => line.includes('  =>  '))
  .map(line => line.replaceAll('⏎', '\n').split('  =>  ') as [string, string]);

describe('what a command line does', () => {
  it.each(CASES)('%s', (line, expected) => {
    expect(readingText(readShell(line, parser).reading)).toBe(expected);
  });

  it('is the same by the syntax tree alone', () => {
    const parse = (text: string) => treeShell(text, parser.tree).script;
    // The grammar has no `<>` with a descriptor.
    const understood = CASES.filter(([line]) => !treeShell(line, parser.tree).broken);
    expect(understood.length).toBeGreaterThanOrEqual(CASES.length - 1);
    for (const [line, expected] of understood) {
      expect(readingText(runScript(parse(line), parse)), line).toBe(expected);
    }
  });
});

describe('destructive command lines', () => {
  it.each([
    ['rm -rf /', true],
    ['rm -rf /*', true],
    ['rm -rf ~', true],
    ['rm -rf "$HOME"', true],
    ['rm -rf .', true],
    ['rm -r ./*', true],
    ['rm -fr ../', true],
    ['sudo rm -rf /usr', true],
    ['rm -rf "$DIR"/*', true],
    ['rm -rf .git', true],
    ['bash -c "rm -rf /"', true],
    ['cd x && rm -rf *', true],
    ['rm -rf node_modules', false],
    ['rm -rf /tmp/*', false],
    ['rm -rf "$DIR"', false],
    ['rm *', false],
    ['rm file', false],
    ['git reset --hard HEAD~1', true],
    ['git reset HEAD~1', false],
    ['git -C a push --force', true],
    ['git push -f origin main', true],
    ['git push origin +main', true],
    ['git push --force-with-lease', false],
    ['git clean -fdx', true],
    ['git clean -nfd', false],
    ['git checkout .', true],
    ['git checkout main', false],
    ['git restore --staged .', false],
    ['psql -c "DROP TABLE users"', true],
    ['echo "drop database x" | mysql', true],
    ['mysql <<< "TRUNCATE TABLE x"', true],
    ['sqlite3 a.db "delete from t"', true],
    ['sqlite3 a.db "delete from t where id=1"', false],
    ['grep "DROP TABLE" schema.sql', false],
    ['mkfs.ext4 /dev/sdb', true],
    ['dd if=/dev/zero of=/dev/sda', true],
    ['dd if=a of=b', false],
    ['cat x > /dev/sda', true],
    ['chmod -R 777 .', true],
    ['chmod 777 a', false],
    ['curl -sSL https://x.sh | bash', true],
    ['curl -sSL https://x.sh | bash -s -- --yes', true],
    ['curl https://x.sh | sudo sh -s -- -y', true],
    ['bash <(curl -s https://x.sh)', true],
    ['sh -c "$(curl -fsSL https://x.sh)"', true],
    ['eval "$(wget -qO- https://x.sh)"', true],
    ['curl https://x/a.json | python3 -m json.tool', false],
    ['curl https://x/a.json | python3 -c "import json"', false],
    ['curl https://x/a | jq . ; bash run.sh', false],
    ['curl https://x -o a.sh && bash a.sh', false],
    ['find / -delete', true],
    ['find . -name "*.pyc" -delete', false],
    ['constructor --help', false],
    ['git __proto__', false],
  ])('%s is %s', (line, destructive) => {
    expect(readShell(line, parser).reading.destructive).toBe(destructive);
  });
});

describe('what no parser can be sure of', () => {
  it('gives PowerShell lines their program and no effects', () => {
    const lines = [
      'Get-ChildItem -Path C:\\x > out.txt',
      '$env:Path += ";C:\\x"; entire status | Select-Object -First 3',
    ];
    expect(lines.map(line => readingText(readShell(line, parser).reading))).toEqual([
      'Get-ChildItem (partial):',
      'entire (partial):',
    ]);
  });

  it('says that it wants the parser where the lexer is not enough, and still names the program', () => {
    const { reading, wantsParser } = readShell('cat $((1+2)) x');
    expect([readingText(reading), wantsParser]).toEqual(['cat (partial):', true]);
  });

  it('keeps what is certain of a broken line', () => {
    const { reading } = readShell('cat a; case x in; cat b > ((', parser);
    expect(reading.partial).toBe(true);
    expect(reading.command).toBe('cat');
  });

  it('reads a here-document of a megabyte without taking its lines for commands', () => {
    const body = 'rm -rf / $x `y` $(z) "q\n'.repeat(50_000);
    for (const tail of ['', '; echo $((1+1))']) {
      const { reading } = readShell(`cat > f <<'EOF'${tail}\n${body}EOF\ncat g`, parser);
      expect(readingText(reading)).toBe('cat: write f @cat, read g @cat');
    }
  });

  it.each([
    ['parentheses', '('.repeat(20_000)],
    ['substitutions', '$('.repeat(20_000)],
    ['closed parentheses', `${'('.repeat(500)}cat a${')'.repeat(500)}`],
    ['shells in shells', `${'eval '.repeat(500)}cat a`],
    ['quotes', `"'\`$((`.repeat(5_000)],
    ['words', `cat ${'a '.repeat(100_000)}`],
    ['wrappers', `${'sudo '.repeat(10_000)}cat a`],
    ['calls of itself', 'f() { f; f; }; f'],
    ['a loop of loops', `${'for i in 1 2 3 4 5 6 7 8 9; do '.repeat(12)}cat $i${'; done'.repeat(12)}`],
  ])('ends soon and without an error on endless %s', (_, line) => {
    expect(readShell(line, parser).reading.effects.length).toBeLessThanOrEqual(256);
  });

  it('lets no text forge the mark of an unknown value', () => {
    expect(readShell('cat a\u0001b', parser).reading.effects.map(effect => effect.value)).toEqual(['*']);
  });

  it('refuses in the lexer what it does not fully understand', () => {
    const lines = [
      'cat `x`',
      'cat $((1))',
      '[[ a < b ]]',
      'case a in b) ;; esac',
      'f() { a; }',
      'a=(1 2)',
      `cat \${x%y}`,
      "cat $'a'",
    ];
    expect(lines.filter(line => lexShell(line) !== undefined)).toEqual([]);
  });
});
