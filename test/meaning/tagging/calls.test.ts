import { describe, expect, test } from 'vitest';
import { callKinds, toolCategory } from '../../../src/meaning/tagging/calls.ts';
import { CATEGORIES } from '../../../src/meaning/tagging/categories.ts';
import { Kind } from '../../../src/trace/kinds.ts';
import { operationsOf } from '../../support/operations.ts';

describe('what a tool call does', () => {
  test.each([
    [
      'claude-code',
      'Read:read Grep:read Glob:read Edit:edit MultiEdit:edit Write:edit NotebookEdit:edit Bash:run WebFetch:web',
    ],
    [
      'claude-code',
      'WebSearch:web Task:delegate Agent:delegate TodoWrite:plan ExitPlanMode:plan AskUserQuestion:plan KillShell:run',
    ],
    [
      'claude-code',
      'Skill:read ToolSearch:read BashOutput:run SendMessage:delegate StructuredOutput:analysis PowerShell:run',
    ],
    [
      'codex',
      'exec_command:run shell:run apply_patch:edit update_plan:plan spawn_agent:delegate wait_agent:delegate view_image:read',
    ],
    [
      'codex',
      'write_stdin:run web_search:web local_shell:run request_user_input:plan tool_search:read image_generation:other',
    ],
    [
      'gemini-cli',
      'run_shell_command:run read_file:read write_file:edit replace:edit google_web_search:web web_fetch:web',
    ],
    [
      'gemini-cli',
      'invoke_agent:delegate list_directory:read search_file_content:read read_many_files:read complete_task:analysis',
    ],
    ['qwen-code', 'agent:delegate read_file:read edit:edit todo_write:plan grep_search:read'],
    [
      'opencode',
      'bash:run read:read edit:edit write:edit grep:read glob:read task:delegate webfetch:web todowrite:plan patch:edit',
    ],
    [
      'copilot-cli',
      'bash:run view:read create:edit edit:edit rg:read glob:read task:delegate report_intent:plan read_agent:delegate',
    ],
    ['pi', 'bash:run read:read edit:edit write:edit'],
    [
      'cline',
      'read_files:read editor:edit run_commands:run spawn_agent:delegate replace_in_file:edit write_to_file:edit',
    ],
    [
      'cline',
      'execute_command:run list_files:read ask_followup_question:plan attempt_completion:analysis browser_action:web',
    ],
    ['nobody', 'frobnicate:other mcp__linear__get_issue:other __proto__:other constructor:other'],
    ['namespaces', 'functions.exec_command:run default_api:read_file:read'],
  ])('by the name of the tool: %s', (_, pairs) => {
    for (const pair of pairs.split(' ')) {
      const at = pair.lastIndexOf(':');
      expect(toolCategory(pair.slice(0, at), '', ''), pair).toBe(pair.slice(at + 1));
    }
  });

  test('a tool of a server is other, whatever its name', () => {
    expect(toolCategory('read', '', 'files')).toBe('other');
    expect(toolCategory('mcp__fs__read', '', '')).toBe('other');
  });

  test.each([
    [
      'test',
      'pytest|vitest|go test|cargo test|npm test|npm run test|npm run test:unit|yarn test|pnpm test|bun test|node --test',
    ],
    [
      'test',
      'make test|make check|just test|mvn test|gradle test|dotnet test|rspec|cargo nextest|jest|bats|playwright|npm t',
    ],
    ['test', 'python -m pytest|python3 -m unittest|npx vitest run|npm run e2e|make unit-test'],
    [
      'read',
      'cat|rg|ls|grep|find|sed|head|jq|git status|git log|git diff|git show|git stash list|docker logs|kubectl get|Get-Content',
    ],
    ['read', '/usr/bin/rg|wc|awk|pwd|which|npm ls|go doc'],
    ['edit', 'apply_patch|rm|mv|cp|touch|tee|git apply|git restore|sed -i|patch|Set-Content'],
    ['web', 'curl|wget|gh pr view|gh api|gh run view|Invoke-WebRequest'],
    ['delegate', 'claude|codex exec|gemini'],
    [
      'run',
      'npm run build|npm install|git commit|git push|git checkout|make|node|python|docker compose up|cargo build|go run|tsc',
    ],
    [
      'run',
      'echo|cd|mkdir|sleep|shell|claude mcp|gh pr create|./run.sh|make latest|npm run contest|go build|terraform apply',
    ],
  ])('a shell by the command it runs: %s', (category, commands) => {
    for (const command of commands.split('|')) expect(toolCategory('Bash', command, ''), command).toBe(category);
  });

  test('an unknown tool that ran a command is known by that', () => {
    expect(toolCategory('my_shell', 'rg', '')).toBe('read');
  });
});

describe('the kind of a call', () => {
  const kinds = (text: string): string[] => {
    const ops = operationsOf(text);
    const column = callKinds(ops);
    const rows = Array.from({ length: ops.length }, (_, row) => row);
    for (const row of rows) if (ops.kind.get(row) !== Kind.call) expect(column.get(row)).toBe('');
    return rows.filter(row => ops.kind.get(row) === Kind.call).map(row => column.get(row));
  };

  test.each<[string, string, string]>([
    ['no tool is analysis', 'call 0-1 opus', 'llm/analysis'],
    ['one tool', 'call 0-1 opus\ntool 1-2 Read', 'llm/read'],
    [
      'an edit outweighs tests and reading',
      'call 0-1 opus\ntool 1-2 Read\ntool 1-2 Bash command=pytest\ntool 1-2 Edit',
      'llm/edit',
    ],
    ['delegation outweighs an edit', 'call 0-1 opus\ntool 1-2 Edit\ntool 1-2 Task', 'llm/delegate'],
    ['a to-do list says least', 'call 0-1 opus\ntool 1-2 TodoWrite\ntool 1-2 Grep', 'llm/read'],
    ['a to-do list alone is planning', 'call 0-1 opus\ntool 1-2 TodoWrite', 'llm/plan'],
    ['unknown tools say less than known ones', 'call 0-1 opus\ntool 1-2 mcp__x__y\ntool 1-2 WebFetch', 'llm/web'],
    ['unknown tools alone', 'call 0-1 opus\ntool 1-2 mcp__x__y', 'llm/other'],
    ['a shell that reads', 'call 0-1 opus\ntool 1-2 Bash command=sed\neffect read a.ts', 'llm/read'],
    ['a reading program that wrote', 'call 0-1 opus\ntool 1-2 Bash command=sed\neffect write a.ts', 'llm/edit'],
    [
      'a command that only talks but wrote',
      'call 0-1 opus\ntool 1-2 Bash command=echo\neffect create a.ts',
      'llm/edit',
    ],
    ['a program that ran and wrote', 'call 0-1 opus\ntool 1-2 Bash command=make\neffect write a.o', 'llm/run'],
    ['a contact is no write', 'call 0-1 opus\ntool 1-2 Bash command=cat\neffect contact x.org', 'llm/read'],
    ['a compaction request, whatever it asked', 'call 0-1 opus compaction\ntool 1-2 Read', 'llm/compact'],
    ['compaction that only a total proves', 'call 0-1 opus compaction inferred', 'llm/compact'],
    ['a call that only a total proves', 'call 0-1 opus inferred', 'llm/usage'],
    ['a usage record alone', 'call 0-1 opus usageOnly', 'llm/usage'],
    ['a usage record beside tools', 'call 0-1 opus usageOnly\ntool 1-2 Read', 'llm/read'],
    ['an operation file that names no tool', 'call 0-1 opus given', ''],
    ['an operation file that names one', 'call 0-1 opus given\ntool 1-2 Read', 'llm/read'],
  ])('%s', (_, lines, kind) => expect(kinds(`session s1\n${lines}`)).toEqual([kind]));

  test('each call has its own tools', () => {
    const text =
      'session s1\ncall 0-1 opus\ntool 1-2 Read\ncall 2-3 opus\ntool 3-4 Edit\ncall 4-5 opus\nsession s2\ncall 0-1 opus\ntool 1-2 Bash command=curl';
    expect(kinds(text)).toEqual(['llm/read', 'llm/edit', 'llm/analysis', 'llm/web']);
  });

  test('a tool asked for by a tool counts for the call above', () => {
    const ops = operationsOf('session s1\ncall 0-1 opus\ntool 1-2 exec\ntool 1-2 apply_patch');
    ops.setParent(2, 1);
    expect(callKinds(ops).get(0)).toBe('llm/edit');
  });

  test('the list is closed', () => {
    expect([...CATEGORIES].sort()).toEqual([
      'analysis',
      'compact',
      'delegate',
      'edit',
      'other',
      'plan',
      'read',
      'run',
      'test',
      'usage',
      'web',
    ]);
  });
});
