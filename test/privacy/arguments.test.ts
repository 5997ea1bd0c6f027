import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactArguments } from '../../src/privacy/arguments.ts';
import { redactorFor } from '../../src/privacy/redact.ts';

const redactor = redactorFor([]);
const shown = (words: readonly string[]): string[] => redactArguments(words, text => redactor.text(text));

describe('arguments of a program, a secret in them told by those before it', () => {
  it.each<[string[], string[]]>([
    [
      ['/bin/true', '--password', 'hunter2canary', '--token', 'tokcanary55'],
      ['/bin/true', '--password', '[redacted]', '--token', '[redacted]'],
    ],
    [
      ['curl', '-s', '-u', 'bob:canary', 'http://10.0.0.1/'],
      ['curl', '-s', '-u', '[redacted]', 'http://10.0.0.1/'],
    ],
    [
      ['curl', '--user', 'bob:canary'],
      ['curl', '--user', '[redacted]'],
    ],
    [
      ['tool', '--password', 'two words canary', 'x'],
      ['tool', '--password', '[redacted]', 'x'],
    ],
    [
      ['tool', '--password', `it's "canary9"`, 'x'],
      ['tool', '--password', '[redacted]', 'x'],
    ],
    [
      ['sshpass', '-p', 'canary1', 'ssh', 'h'],
      ['sshpass', '-p', '[redacted]', 'ssh', 'h'],
    ],
    [
      ['sudo', 'mysql', '-h', 'db', '-u', 'root', '-pcanary1', 'shop'],
      ['sudo', 'mysql', '-h', 'db', '-u', 'root', '-p[redacted]', 'shop'],
    ],
    [
      ['redis-cli', '-h', 'db', '-a', 'canary1', 'get', 'x'],
      ['redis-cli', '-h', 'db', '-a', '[redacted]', 'get', 'x'],
    ],
    [
      ['bash', '-c', 'curl -u bob:canary http://x'],
      ['bash', '-c', 'curl -u [redacted] http://x'],
    ],
    [
      ['git', 'commit', '-m', 'the password field', '--author', 'A B', '-u', '1000:1000', ''],
      ['git', 'commit', '-m', 'the password field', '--author', 'A B', '-u', '1000:1000', ''],
    ],
  ])('%j', (words, expected) => {
    expect(shown(words)).toEqual(expected);
  });

  it('are as many as they were, the value of a password’s option never among them', () => {
    const word = fc.string({ unit: fc.constantFrom(...'ab1 -"\'=:/.@$'.split('')), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(word, { maxLength: 20 }), fc.array(word, { maxLength: 5 }), (before, after) => {
        const words = ['tool', ...before, '--password', 'Canary77', ...after];
        const out = shown(words);
        expect(out).toHaveLength(words.length);
        expect(out.join(' ')).not.toContain('Canary77');
      }),
    );
  });
});
