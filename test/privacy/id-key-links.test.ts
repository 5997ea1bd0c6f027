import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { idKey } from '../../src/privacy/id-key.ts';

vi.mock('node:fs', async original => ({
  ...(await original<typeof import('node:fs')>()),
  linkSync() {
    throw Object.assign(new Error('links are not supported here'), { code: 'EPERM' });
  },
}));

test('a file system without links still gets one key, kept and private', () => {
  const home = mkdtempSync(path.join(tmpdir(), 'links-'));
  const { key, warning } = idKey({ HOME: home });
  const folder = path.join(home, '.config/agentpprof');
  expect(warning).toBeUndefined();
  expect(readdirSync(folder)).toEqual(['id.key']);
  expect(readFileSync(path.join(folder, 'id.key'))).toEqual(key);
  expect(statSync(path.join(folder, 'id.key')).mode & 0o777).toBe(0o600);
  expect(idKey({ HOME: home }).key).toEqual(key);
});
