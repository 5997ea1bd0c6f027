import { describe, expect, test } from 'vitest';
import { readAll, touched } from './reading.ts';
import { type Rollout, rollout } from './rollout.ts';

const begun = () => rollout('t').turn('m').prompt('go');
const read = (made: Rollout) => readAll({ 'a.jsonl': made.rows });

describe('what a call touched', () => {
  const patch =
    '*** Begin Patch\n*** Add File: new.ts\n+x\n*** Update File: old.ts\n*** Move to: moved.ts\n@@\n*** Update File: a b.ts\n@@\n*** Delete File: gone.ts\n*** End Patch';

  test.each<[string, Rollout, string[]]>([
    ['a command line', begun().calls('exec_command', { cmd: 'cat a > b', workdir: '/w' }), ['shell cat a > b (/w)']],
    [
      'words for a shell',
      begun().calls('shell', { command: ['bash', '-lc', 'ls | wc'], workdir: '/w' }),
      ['shell ls | wc (/w)'],
    ],
    [
      'words for no shell',
      begun().calls('shell', { command: ['git', 'commit', '-m', "it's"] }),
      ["shell git commit -m 'it'\\''s'"],
    ],
    [
      'the local shell',
      begun().item({
        type: 'local_shell_call',
        call_id: '1',
        action: { type: 'exec', command: ['ls', '-a'], working_directory: '/w' },
      }),
      ['shell ls -a (/w)'],
    ],
    [
      'a patch, once applied',
      begun().patches(patch).gives('Success'),
      ['create new.ts', 'move old.ts moved.ts'.replace(' moved.ts', ' (moved.ts)'), 'write a b.ts', 'delete gone.ts'],
    ],
    ['a patch that failed touches nothing', begun().patches(patch).gives('apply_patch verification failed: x'), []],
    [
      'a patch and its event: the files once, by their full paths',
      begun()
        .patches(patch, '1')
        .event({
          type: 'patch_apply_end',
          call_id: '1',
          success: true,
          changes: {
            '/w/new.ts': { type: 'add', content: 'x' },
            '/w/old.ts': { type: 'update', move_path: '/w/moved.ts' },
          },
        })
        .gives('Success', '1'),
      ['create /w/new.ts', 'move /w/old.ts (/w/moved.ts)'],
    ],
    [
      'a patch event of 2025',
      begun()
        .patches(patch, '1')
        .event({
          type: 'patch_apply_end',
          call_id: '1',
          success: true,
          changes: { '/w/a': { add: { content: 'x' } }, '/w/b': { update: { move_path: null } } },
        }),
      ['create /w/a', 'write /w/b'],
    ],
    [
      'a patch as a shell word',
      begun()
        .calls('shell', { command: ['apply_patch', patch], workdir: '/w' })
        .gives('ok'),
      ['create /w/new.ts', 'move /w/old.ts (/w/moved.ts)', 'write /w/a b.ts', 'delete /w/gone.ts'],
    ],
    ['a picture', begun().calls('view_image', { path: '/w/a.png' }), ['read /w/a.png']],
    [
      'a search',
      begun().item({ type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'zod unions' } }),
      ['search zod unions'],
    ],
    [
      'a page',
      begun().item({
        type: 'web_search_call',
        status: 'completed',
        action: { type: 'open_page', url: 'https://x.org/a' },
      }),
      ['url https://x.org/a'],
    ],
    ['an MCP tool with an address', begun().calls('mcp__web__get', { url: 'https://x.org' }), ['url https://x.org']],
    [
      'a script',
      begun().item({
        type: 'custom_tool_call',
        call_id: '1',
        name: 'exec',
        input:
          'const r = await tools.exec_command({cmd:"rg \\"a\\" b","workdir":\'/w\'}); await tools.view_image({path:`/p.png`}); text(r)',
      }),
      ['shell rg "a" b (/w)', 'read /p.png'],
    ],
    [
      'a script that patches',
      begun()
        .item({
          type: 'custom_tool_call',
          call_id: '1',
          name: 'exec',
          input: `const patch = ${JSON.stringify(patch)}; await tools.apply_patch(patch)`,
        })
        .event({ type: 'patch_apply_end', call_id: 'exec-1', success: true, changes: { '/w/new.ts': { type: 'add' } } })
        .item({
          type: 'custom_tool_call_output',
          call_id: '1',
          output: [{ type: 'input_text', text: 'Script completed' }],
        }),
      ['create /w/new.ts'],
    ],
    [
      'broken arguments',
      begun().item({ type: 'function_call', name: 'exec_command', arguments: '{"cmd":"ls', call_id: '1' }),
      [],
    ],
  ])('%s', (_, made, lines) => {
    expect(touched(read(made))).toEqual(lines);
  });

  test('a shell line that applies a patch touches the files of the patch', () => {
    const line = `cd /w && apply_patch <<'EOF'\n${patch}\nEOF`;
    expect(touched(read(begun().calls('exec_command', { cmd: line }).gives('ok')))).toEqual([
      `shell ${line}`,
      'create new.ts',
      'move old.ts (moved.ts)',
      'write a b.ts',
      'delete gone.ts',
    ]);
  });
});
