import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attachEffects, type EffectsReport } from '../../src/effects/attach.ts';
import { loadShellParser } from '../../src/effects/shell.ts';
import { Kind } from '../../src/trace/kinds.ts';
import type { Operations } from '../../src/trace/operations.ts';
import type { TouchKind } from '../../src/trace/touches.ts';
import { drawn, ROOT, touched } from './touched.ts';

const rootsOf = () => ({ roots: [ROOT] });

async function attached(text: string): Promise<{ ops: Operations; lines: string[]; report: EffectsReport }> {
  const ops = touched(text);
  const report = await attachEffects(ops, rootsOf);
  return { ops, lines: drawn(ops), report };
}

describe('touches become effects', () => {
  it('of files, as the tool said it', async () => {
    const { lines } = await attached(`
      session claude-code
      Read  read /home/ada/proj/src/a.ts
      Edit  write src/a.ts
      Write create /home/ada/proj/NOTES.md
      apply_patch write a.ts
      +     move b.ts -> c.ts
      +     delete d.ts
      +     read file:///home/ada/proj/e.ts
    `);
    expect(lines).toEqual([
      'Read',
      '  read src/a.ts',
      'Edit',
      '  write src/a.ts',
      'Write',
      '  create NOTES.md',
      'apply_patch',
      '  write a.ts',
      '  move b.ts',
      '  create c.ts',
      '  delete d.ts',
      '  read e.ts',
    ]);
  });

  it('of shell commands, with the processes that did it and the command on the tool row', async () => {
    const { lines } = await attached(`
      session claude-code
      Bash shell cd src && cat a.ts > ../out.txt
      Bash shell sudo bash -c 'rm -f x'
      exec shell cat b -> sub/dir
      +    shell cat /home/ada/proj/c
    `);
    expect(lines).toEqual([
      'Bash | cat',
      '  read src/a.ts @cat',
      '  write out.txt @cat',
      'Bash | rm',
      '  delete x @sudo>bash>rm',
      'exec | cat',
      '  read sub/dir/b @cat',
      '  read c @cat',
    ]);
  });

  it('of the network: URLs, hosts, searches by the provider, MCP servers, programs', async () => {
    const { lines } = await attached(`
      session claude-code
      call claude-sonnet-4-5
      WebFetch url https://user:pw@docs.example.com/a?b
      WebSearch search how to x
      web_search search how to x
      + url https://example.org/x
      mcp__github__search mcp=github
      mcp__web__get mcp=web
      + host example.net
      Bash shell curl -s localhost:3000
      Fetch url file:///etc/hosts
      Read read https://example.com/a.pdf
    `);
    expect(lines).toEqual([
      'WebFetch',
      '  contact example.com',
      'WebSearch',
      '  contact anthropic.com',
      'web_search',
      '  contact example.org',
      'mcp__github__search',
      '  contact mcp:github',
      'mcp__web__get',
      '  contact example.net',
      '  contact mcp:web',
      'Bash | curl',
      '  contact localhost:3000 @curl',
      'Fetch',
      '  read external/system',
      'Read',
      '  contact example.com',
    ]);
  });

  it('once for the same file and effect of one tool call, again for the next call', async () => {
    const { lines, report } = await attached(`
      session codex
      exec_command shell cat a; cat ./a; head /home/ada/proj/a; echo >> a; tee a
      + read a
      exec_command shell cat a
    `);
    expect(lines).toEqual([
      'exec_command | cat',
      '  read a @cat',
      '  write a @echo',
      'exec_command | cat',
      '  read a @cat',
    ]);
    expect(report).toMatchObject({ files: 3, contacts: 0, commands: 2, lexed: 2, partial: 0 });
  });

  it('each of several files outside the project, though they go by one name', async () => {
    const { lines } = await attached(`
      session codex
      exec_command shell rm /tmp/x /tmp/y /tmp/./x; cat ~/.codex/a /etc/hosts /etc/passwd
    `);
    expect(lines.map(line => line.trim()).filter(line => line.includes('external'))).toEqual([
      'delete external/tmp @rm',
      'delete external/tmp @rm',
      'read external/codex @cat',
      'read external/system @cat',
      'read external/system @cat',
    ]);
  });

  it('puts effects under their tool call with its session, time and evidence', async () => {
    const { ops } = await attached(`
      session codex
      session claude-code
      Bash shell cat a
    `);
    const effect = ops.length - 1;
    const tool = ops.parentOf(effect);
    expect(ops.kind.get(effect)).toBe(Kind.effect);
    for (const column of [ops.session, ops.start, ops.end, ops.file, ops.offset, ops.bytes]) {
      expect(column.get(effect)).toBe(column.get(tool));
    }
    expect(ops.touches.length).toBe(0);
  });

  it('in the order of tool rows, whatever order the touches came in', async () => {
    const sorted = touched('session codex\nA read a\nB read b\nC read c');
    const shuffled = touched('session codex\nA\nB\nC');
    shuffled.touches.add(2, 'read', 'c');
    shuffled.touches.add(0, 'read', 'a');
    shuffled.touches.add(1, 'read', 'b');
    await attachEffects(sorted, rootsOf);
    await attachEffects(shuffled, rootsOf);
    const files = (ops: Operations) => Array.from({ length: ops.length }, (_, row) => ops.field.file.get(row));
    expect(files(shuffled)).toEqual(files(sorted));
  });

  it('keeps a command that a reader has set', async () => {
    const ops = touched('session codex\nBash shell git status');
    ops.field.command.set(0, 'given');
    await attachEffects(ops, rootsOf);
    expect(ops.field.command.get(0)).toBe('given');
  });

  it('reads a PowerShell line for its program alone', async () => {
    const { lines } = await attached('session claude-code\nPowerShell shell cat a > b');
    expect(lines).toEqual(['PowerShell | cat']);
  });
});

describe('calls', () => {
  it('carry the domain of their provider on their own row', async () => {
    const { ops, report } = await attached(`
      session claude-code
      call claude-opus-4-1
      call <synthetic>
      call unheard-of
      session codex
      call gpt-5.1-codex
    `);
    const domains = Array.from({ length: ops.length }, (_, row) => ops.field.domain.get(row));
    expect(domains).toEqual(['anthropic.com', '', '', 'openai.com']);
    expect(report.providers).toBe(2);
    expect(ops.length).toBe(4);
  });
});

describe('unsafe tool calls', () => {
  it('get the gravest class', async () => {
    const { lines, report } = await attached(`
      session claude-code
      Write write /etc/hosts
      Write write /tmp/x
      Read  read /etc/hosts
      Read  read .env
      Bash  shell cat ~/.ssh/id_rsa; rm -rf /
      Bash  shell echo x > ~/.bashrc
      Bash  shell cat src/a
    `);
    expect(lines.filter(line => !line.startsWith(' '))).toEqual([
      'Write | !outside-project',
      'Write',
      'Read',
      'Read | !secret-file',
      'Bash | cat | !destructive',
      'Bash | echo | !outside-project',
      'Bash | cat',
    ]);
    expect(report.unsafe).toEqual({ destructive: 1, 'secret-file': 1, 'outside-project': 2 });
  });
});

describe('the tree parser', () => {
  const count = async (text: string) => {
    let loads = 0;
    const ops = touched(text);
    const loadParser = () => {
      loads++;
      return loadShellParser();
    };
    const report = await attachEffects(ops, rootsOf, { loadParser });
    return { loads, report, lines: drawn(ops) };
  };

  it('is not loaded where the lexer is enough', async () => {
    const { loads, report } = await count('session codex\nBash shell cat a | head\nBash shell cat a | head');
    expect({ loads, commands: report.commands, lexed: report.lexed }).toEqual({ loads: 0, commands: 1, lexed: 1 });
  });

  it('is loaded once for all that needs it', async () => {
    const { loads, lines, report } = await count(
      'session codex\nBash shell cat `x` a\nBash shell case a in a) cat b;; esac',
    );
    expect({ loads, lexed: report.lexed, partial: report.partial }).toEqual({ loads: 1, lexed: 0, partial: 0 });
    expect(lines).toEqual(['Bash | cat', '  read a @cat', 'Bash | cat', '  read b @cat']);
  });

  it('may be missing: then such a command has its name only', async () => {
    const ops = touched('session codex\nBash shell cat `x` a');
    const report = await attachEffects(ops, rootsOf, { loadParser: async () => undefined });
    expect(drawn(ops)).toEqual(['Bash | cat']);
    expect(report.partial).toBe(1);
  });
});

describe('privacy', () => {
  it('no home, user or secret of a tool input reaches a field', async () => {
    const secret = 'Zq9';
    const line = fc.constantFrom(
      `cat /home/${secret}/a ~/x "$HOME/${secret}" > /Users/${secret}/b`,
      `curl -H "Bearer ${secret}" https://${secret}:${secret}@x.example.com/${secret} -o /home/${secret}/out`,
      `git clone https://${secret}@github.com/a/b /home/${secret}/b`,
      `TOKEN=${secret} ssh ${secret}@host.example.com ls /home/${secret}`,
      `psql postgres://${secret}:${secret}@db.example.com/x`,
      `cd /home/${secret} && cat a && cp a C:\\\\Users\\\\${secret}`,
      `for f in /home/${secret}/*; do cat $f; done`,
      `scp /home/${secret}/a ${secret}@h.example.com:/home/${secret}`,
    );
    const kind = fc.constantFrom<TouchKind>('read', 'write', 'url', 'host', 'delete');
    const value = fc.constantFrom(
      `/home/${secret}/x`,
      `C:\\Users\\${secret}\\x`,
      `https://${secret}@x.com/${secret}`,
      `file:///home/${secret}/y`,
      `/Users/${secret}`,
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 3 }), kind, value, async (lines, touch, text) => {
        const ops = touched(`session claude-code\n${lines.map(one => `Bash shell ${one}`).join('\n')}\nRead\n`);
        ops.touches.add(ops.length - 1, touch, text);
        await attachEffects(ops, rootsOf);
        for (const column of Object.values(ops.field)) {
          for (const shown of column.values) expect(shown).not.toContain(secret);
        }
      }),
      { numRuns: 150 },
    );
  });
});
