import type { SideInput } from '../../src/profile/diff.ts';
import type { Label } from '../../src/profile/profile.ts';
import { type ProfileHead, parseFoldedLine, profileOfRows } from './profiles.ts';

/**
 * A side as text, a session a line: `s1 a:x;b:y 3 | a:x 2`, or with its task `s1@t1 a:x 3`. A line that begins with
 * a space has no session.
 */
export function sideOf(text: string, name = 'side', head: ProfileHead = {}): SideInput {
  const measure = head.measure ?? 'tokens';
  const measures = head.measures ?? [{ name: measure, unit: 'count' as const }];
  const rows = text
    .split('\n')
    .filter(line => line.trim() !== '')
    .flatMap(line => {
      const [, session = '', task, stacks = ''] = /^(\w*)(?:@(\w+))? (.*)$/.exec(line) ?? [];
      const labels: Label[] = [
        ...(session === '' ? [] : [{ key: 'session', text: session }]),
        ...(task === undefined ? [] : [{ key: 'task', text: task }]),
      ];
      return stacks.split(' | ').map(each => {
        const { stack, value } = parseFoldedLine(each);
        return { stack, labels, values: measures.map(m => (m.name === measure ? value : 0n)) };
      });
    });
  return { name, profile: profileOfRows(rows, { ...head, measure, measures }), session: 'session' };
}
