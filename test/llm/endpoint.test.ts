import { describe, expect, test } from 'vitest';
import { endpointOf } from '../../src/llm/endpoint.ts';
import { estimateTokens } from '../../src/llm/tokens.ts';

describe('addresses', () => {
  test.each([
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/v1'],
    ['127.0.0.1:8080/', 'http://127.0.0.1:8080/v1'],
    ['localhost:11434/v1/', 'http://localhost:11434/v1'],
    ['https://host.example/openai/v1/chat/completions', 'https://host.example/openai/v1'],
    ['http://[::1]:80/v1/embeddings', 'http://[::1]/v1'],
    ['localhost', 'http://localhost/v1'],
    ['box:80', 'http://box/v1'],
    ['http://box', 'http://box/v1'],
  ])('%s is %s', (address, base) => expect(endpointOf(address, '--llm-url', {}).base).toBe(base));

  test.each(['', 'file:///etc/passwd', 'http://user:word@host', 'http://host/?key=1', 'http://', 'notaurl'])(
    '%j is wrong usage that names the flag',
    address => {
      expect(() => endpointOf(address, '--llm-url', {})).toThrow(/^--llm-url: /);
    },
  );
});

describe('keys', () => {
  const header = (address: string, env: NodeJS.ProcessEnv) =>
    endpointOf(address, '--llm-url', env).headers.authorization;
  test('come from the environment alone, and that of OpenAI goes to OpenAI alone', () => {
    expect(header('http://host', {})).toBeUndefined();
    expect(header('http://host', { AGENTPPROF_LLM_KEY: 'k1' })).toBe('Bearer k1');
    expect(header('http://host', { OPENAI_API_KEY: 'k2' })).toBeUndefined();
    expect(header('https://api.openai.com/v1', { OPENAI_API_KEY: 'k2' })).toBe('Bearer k2');
    expect(() => header('http://host', { AGENTPPROF_LLM_KEY: 'k\n' })).toThrow(/AGENTPPROF_LLM_KEY/);
  });
});

test('tokens are estimated for any script', () => {
  expect([estimateTokens(''), estimateTokens('four'), estimateTokens('fivee'), estimateTokens('修复登录')]).toEqual([
    0, 1, 2, 4,
  ]);
});
