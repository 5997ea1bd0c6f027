import { describe, expect, test } from 'vitest';
import { maskerFor } from '../../src/privacy/mask.ts';
import { openPseudonyms } from '../../src/privacy/pseudonym.ts';

const pseudonyms = openPseudonyms({ AGENTPPROF_ID_KEY: 'a key for tests' });

describe('masked names', () => {
  const mask = maskerFor(['project', 'file', 'session'], pseudonyms);

  test('give way to pseudonyms that say their kind and are the same in every run', () => {
    expect(mask('project', 'shop')).toMatch(/^project-[0-9a-f]{8}$/);
    expect(mask('project', 'shop')).toBe(
      maskerFor(['project'], openPseudonyms({ AGENTPPROF_ID_KEY: 'a key for tests' }))('project', 'shop'),
    );
    expect(mask('file', '账单/发票.ts')).toMatch(/^file-[0-9a-f]{8}$/);
  });

  test('stay apart: ten thousand files keep ten thousand names', () => {
    const names = Array.from({ length: 10_000 }, (_, at) => mask('file', `src/${at}.ts`));
    expect(new Set(names).size).toBe(names.length);
  });

  test('of other kinds stay as they are, and so do ids that are pseudonyms already', () => {
    expect(mask('branch', 'main')).toBe('main');
    expect(mask('session', 's-4f3a9c21d0')).toBe('s-4f3a9c21d0');
    expect(mask('project', '')).toBe('');
  });
});
