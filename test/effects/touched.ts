import { PROCESS_SEPARATOR } from '../../src/effects/shell.ts';
import { Kind, NO_ROW } from '../../src/trace/kinds.ts';
import { Operations } from '../../src/trace/operations.ts';
import type { TouchKind } from '../../src/trace/touches.ts';

export const ROOT = '/home/ada/proj';

/**
 * Operations with touches, one a line:
 *
 *     session codex /home/ada/proj
 *     call gpt-5
 *     Bash  shell cat a > b      (a tool row under the last call, with its first touch)
 *     +     read a               (a further touch of the last tool row; ` -> other` gives the second value)
 *     github__search mcp=github  (a tool of an MCP server)
 */
export function touched(text: string): Operations {
  const ops = new Operations();
  let session = 0;
  let call = NO_ROW;
  let tool = NO_ROW;
  for (const line of text.trim().split('\n')) {
    const [head = '', kind = '', ...rest] = line.trim().split(/ +/);
    if (head === 'session') {
      session = ops.sessions.of(kind, `s${ops.sessions.all.length}`, 0);
      ops.sessions.all[session]!.cwd = rest[0] ?? ROOT;
    } else if (head === 'call') {
      call = ops.add(Kind.call, session, NO_ROW, 1_000_000, 3, 100, 10);
      ops.field.model.set(call, kind);
    } else {
      if (head !== '+') {
        tool = ops.add(Kind.tool, session, call, 2_000_000 + ops.length, 3, 200 + ops.length, 20);
        ops.field.tool.set(tool, head);
      }
      if (kind.startsWith('mcp=')) ops.field.mcp_server.set(tool, kind.slice(4));
      else if (kind !== '') {
        const [value = '', other = ''] = rest.join(' ').split(' -> ');
        ops.touches.add(tool, kind as TouchKind, value.replaceAll('⏎', '\n'), other);
      }
    }
  }
  return ops;
}

/** Every tool row with what was found, and every effect row under it. */
export function drawn(ops: Operations, from = 0): string[] {
  const lines: string[] = [];
  const { field } = ops;
  for (let row = from; row < ops.length; row++) {
    if (ops.kind.get(row) !== Kind.tool) continue;
    const words = [field.tool.get(row), field.command.get(row), field.unsafe.get(row) && `!${field.unsafe.get(row)}`];
    lines.push(words.filter(word => word !== '').join(' | '));
    for (let effect = 0; effect < ops.length; effect++) {
      if (ops.kind.get(effect) !== Kind.effect || ops.parentOf(effect) !== row) continue;
      const process = field.process.get(effect).replaceAll(PROCESS_SEPARATOR, '>');
      lines.push(
        `  ${field.effect.get(effect) || 'contact'} ${field.file.get(effect) || field.domain.get(effect)}${process && ` @${process}`}`,
      );
    }
  }
  return lines;
}
