import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { domainOf } from '../../src/effects/hosts.ts';
import { providerDomain, searchDomain } from '../../src/effects/providers.ts';

describe('the domain of a place', () => {
  it.each([
    ['https://api.github.com/repos/a/b?x=1#y', 'github.com'],
    ['HTTPS://Raw.GitHubUserContent.com:443/a', 'githubusercontent.com'],
    ['http://user:secret@www.example.co.uk/x', 'example.co.uk'],
    ['https://user@evil.com@example.com/', 'example.com'],
    ['https://token:x-oauth@github.com/a/b.git', 'github.com'],
    ['example.com', 'example.com'],
    ['example.com:8443/x', 'example.com'],
    ['example.com.', 'example.com'],
    ['git@github.com', 'github.com'],
    ['ssh://git@host.example.com:22/x', 'example.com'],
    ['postgres://u:p@db.example.com:5432/x', 'example.com'],
    ['mongodb://a.example.com:1,b.example.com:2/x', 'example.com'],
    ['me.github.io', 'github.io'],
    ['localhost', 'localhost'],
    ['http://localhost:3000/x', 'localhost:3000'],
    ['api.localhost:3000', 'localhost:3000'],
    ['http://127.0.0.1:8080', '127.0.0.1:8080'],
    ['10.0.0.5', '10.0.0.5'],
    ['http://[::1]:9000/', '[::1]:9000'],
    ['http://db:5432', 'db:5432'],
    ['printer.local:631', 'printer.local:631'],
    ['https://例子.中国/路径', '例子.中国'],
    ['https://www.xn--fsqu00a.xn--fiqs8s/', '例子.中国'],
    ['https://münchen.de', 'münchen.de'],
    ['localhost:\u0001', 'localhost'],
    ['https://\u0001.example.com/x', 'example.com'],
    ['https://\u0001.com/x', ''],
    ['https://\u0001/x', ''],
    ['', ''],
    ['https://', ''],
    ['https:///path', ''],
    ['not a host', 'not'],
    ['http://exa mple.com', 'exa'],
    ['https://-bad-.com', ''],
    ['http://999.1.1.1', ''],
    ['http://1.2.3', ''],
    ['file:///etc/passwd', ''],
    ['data:text/plain,x', ''],
    ['s3://bucket/x', ''],
    ['mailto:a@example.com', ''],
    [`http://${'a'.repeat(70)}.com`, ''],
  ])('%j is %j', (place, domain) => {
    expect(domainOf(place)).toBe(domain);
  });

  it('never holds a user, a password, a path or a subdomain of a known domain', () => {
    const secret = fc.stringMatching(/^[a-z0-9]{8,20}$/).map(text => `zq${text}`);
    fc.assert(
      fc.property(
        secret,
        fc.constantFrom('https', 'http', 'ssh', 'git+ssh', 'redis'),
        fc.nat(99_999),
        (text, scheme, port) => {
          const urls = [
            `${scheme}://${text}:${text}@x.example.com:${port}/${text}?${text}#${text}`,
            `${scheme}://${text}.example.com/`,
            `${text}@example.com`,
          ];
          for (const url of urls) expect(domainOf(url)).toBe('example.com');
        },
      ),
    );
  });

  it('never throws and never holds what a frame must not', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.webUrl(),
          fc.ipV6().map(ip => `http://[${ip}]:1/`),
        ),
        text => {
          expect(domainOf(text)).not.toMatch(/[\s@/?#;]/);
        },
      ),
    );
  });
});

describe('the provider of a call', () => {
  it.each([
    ['claude-sonnet-4-5-20250929', 'claude-code', 'anthropic.com'],
    ['us.anthropic.claude-sonnet-4-20250514-v1:0', 'claude-code', 'amazonaws.com'],
    ['claude-sonnet-4@20250514', 'claude-code', 'googleapis.com'],
    ['glm-4.6', 'claude-code', 'z.ai'],
    ['gpt-5.1-codex', 'codex', 'openai.com'],
    ['o4-mini', 'codex', 'openai.com'],
    ['codex-auto-review', 'codex', 'openai.com'],
    ['gemini-2.5-pro', 'gemini-cli', 'googleapis.com'],
    ['qwen3-coder-plus', 'qwen-code', 'aliyuncs.com'],
    ['anthropic/claude-opus-4', 'opencode', 'anthropic.com'],
    ['openrouter/anthropic/claude-opus-4', 'opencode', 'openrouter.ai'],
    ['claude-sonnet-4', 'copilot-cli', 'githubcopilot.com'],
    ['kimi-k2', 'opencode', 'moonshot.ai'],
    ['', 'codex', 'openai.com'],
    ['', 'otel', ''],
    ['<synthetic>', 'claude-code', ''],
    ['my-own-model', 'claude-code', ''],
    ['constructor', '__proto__', ''],
  ])('%s of %s is %s', (model, agent, domain) => {
    expect(providerDomain(model, agent)).toBe(domain);
  });

  it('searches for its agent, and for its model where the agent has no provider', () => {
    expect(searchDomain('claude-code', 'glm-4.6')).toBe('anthropic.com');
    expect(searchDomain('opencode', 'gpt-5')).toBe('openai.com');
  });
});
