import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { isolated } from '../../scripts/house/isolated.mjs';

describe('tests never see the machine they run on', () => {
  it('the home of a test is an empty folder made for the run', () => {
    expect(homedir()).toMatch(/agentpprof-\w+.home$/);
    expect(existsSync(`${homedir()}/.claude`)).toBe(false);
  });

  it.each(['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'CLAUDECODE'])(
    'the variable %s does not reach a child',
    name => {
      const scratch = isolated({ PATH: '/bin', [name]: 'of this machine', AGENTPPROF_SHARED: '../shared' });
      scratch.remove();
      expect(Object.keys(scratch.env)).not.toContain(name);
      expect(process.env[name]).toBeUndefined();
      expect(scratch.env).toMatchObject({ PATH: '/bin', AGENTPPROF_SHARED: '../shared', HOME: scratch.home });
    },
  );

  it('the XDG folders lie below the same home', () => {
    for (const name of ['XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME']) {
      expect(process.env[name]).toContain(homedir());
    }
  });
});
