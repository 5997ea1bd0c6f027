import { describe, expect, it } from 'vitest';
import { graver, isSecretFile, UNSAFE, unsafeEffect } from '../../src/effects/unsafe.ts';

describe('files that hold secrets', () => {
  it.each([
    '.env',
    'a/.env.local',
    '.env.production',
    '.envrc',
    '~/.ssh/id_rsa',
    '/home/x/.ssh/config',
    'keys/server.pem',
    'a.key',
    'x.p12',
    '.npmrc',
    '~/.netrc',
    '.pypirc',
    '.git-credentials',
    '~/.aws/credentials',
    'credentials.json',
    'config/secrets.yml',
    'client_secret.json',
    'service-account-prod.json',
    '~/.kube/config',
    'kubeconfig',
    '~/.docker/config.json',
    '/etc/shadow',
    'terraform.tfstate',
    'prod.tfvars',
    'C:\\Users\\x\\.ssh\\id_ed25519',
    '~/.codex/auth.json',
    '~/.claude/.credentials.json',
    'config/master.key',
  ])('%s', path => {
    expect(isSecretFile(path)).toBe(true);
  });

  it.each([
    '.env.example',
    '.env.sample',
    '.env.template',
    'env.ts',
    'src/environment.ts',
    'id_rsa.pub',
    '~/.ssh/known_hosts',
    'src/keys.ts',
    'monkey',
    'credentials.ts',
    'secrets.md',
    'shadow.css',
    'src/shadow',
    'package.json',
    'config.json',
    'auth.json',
    'keyboard.keyboard',
  ])('not %s', path => {
    expect(isSecretFile(path)).toBe(false);
  });
});

describe('the class of an effect', () => {
  it.each([
    ['write', '/etc/hosts', 'external/system', 'outside-project'],
    ['delete', '/home/x/y', 'external/home', 'outside-project'],
    ['create', '~/.claude/x', 'external/claude-code', 'outside-project'],
    ['write', '/tmp/x', 'external/tmp', ''],
    ['read', '/etc/hosts', 'external/system', ''],
    ['write', 'src/a', 'src/a', ''],
    ['read', '/x/.env', '.env', 'secret-file'],
    ['write', '~/.ssh/config', 'external/home', 'secret-file'],
  ] as const)('%s %s is %j', (kind, path, place, expected) => {
    expect(unsafeEffect(kind, path, place)).toBe(expected);
  });

  it('is the gravest of several', () => {
    expect(UNSAFE.map(one => graver(one, 'secret-file'))).toEqual(['destructive', 'secret-file', 'secret-file']);
    expect([graver('', 'outside-project'), graver('outside-project', ''), graver('', '')]).toEqual([
      'outside-project',
      'outside-project',
      '',
    ]);
  });
});
