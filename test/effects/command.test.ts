import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandName } from '../../src/effects/command.ts';
import { readShell } from '../../src/effects/shell.ts';

const name = (line: string) => commandName(line.split(' '));

describe('the frame of one command', () => {
  it.each([
    ['git commit -m x', 'git commit'],
    ['git -C dir -c a=b --no-pager log', 'git log'],
    ['git stash pop', 'git stash'],
    ['git worktree add ../x', 'git worktree add'],
    ['git', 'git'],
    ['git --version', 'git'],
    ['npm test', 'npm test'],
    ['npm run build:prod -- --x', 'npm run build:prod'],
    ['npm --prefix web run lint', 'npm run lint'],
    ['yarn build', 'yarn build'],
    ['pnpm -r --filter x build', 'pnpm build'],
    ['cargo +nightly build --release', 'cargo build'],
    ['go mod tidy', 'go mod tidy'],
    ['go test ./...', 'go test'],
    ['docker compose -f a.yml up -d', 'docker compose up'],
    ['docker run --rm -v /home/ada:/x img', 'docker run'],
    ['kubectl -n prod get pods', 'kubectl get'],
    ['gh pr create --title secret', 'gh pr create'],
    ['gh api repos/a/b', 'gh api'],
    ['aws --profile x s3 cp a b', 'aws s3 cp'],
    ['uv pip install x', 'uv pip install'],
    ['pip install -r x', 'pip install'],
    ['apt-get install -y x', 'apt-get install'],
    ['systemctl restart nginx', 'systemctl restart'],
    ['make', 'make'],
    ['make -j4 test', 'make test'],
    ['make CC=gcc all', 'make all'],
    ['make deploy TOKEN=abc', 'make deploy'],
    ['just build', 'just build'],
    ['/usr/bin/env', 'env'],
    ['/usr/local/bin/python3.11 x.py', 'python'],
    ['pip3.11 list', 'pip list'],
    ['./run.sh a', 'run.sh'],
    ['./run-17.sh', 'run-N.sh'],
    ['/w/try_2026-11-03_v2.py --all', 'try_N-N-N_vN.py'],
    ['7z x a.7z', '7z'],
    ['./脚本.sh', '脚本.sh'],
    ['C:\\Windows\\System32\\cmd.exe', 'cmd'],
    ['node --test', 'node --test'],
    ['node x.js', 'node'],
    ['\u0001', 'shell'],
    ['./\u0001', 'shell'],
    ['sk-proj-abcdefghijklmnop1234567890', 'shell'],
    ['ghp_abcdefghijklmnopqrstuvwxyz012345', 'shell'],
    ['a"b', 'shell'],
    ['git ghp_abcdefghijklmnopqrstuvwxyz012345', 'git'],
    ['make ghp_abcdefghijklmnopqrstuvwxyz012345', 'make'],
    ['constructor x', 'constructor'],
  ])('%s is %s', (line, expected) => {
    expect(name(line)).toBe(expected);
  });
});

describe('the command that names a line', () => {
  it.each([
    ['cd web && npm test', 'npm test'],
    ['export A=b; set -e; source x; echo hi; sleep 1; true; make test', 'make test'],
    ['[ -f x ] && cat x', 'cat'],
    ['cd web', 'cd'],
    ['sleep 1; echo hi', 'sleep'],
    ['A=1 B=2', 'shell'],
    ['A=1 cargo test', 'cargo test'],
    ['sudo -E env A=1 timeout 5 npm test', 'npm test'],
    ['echo $(git rev-parse HEAD)', 'git rev-parse'],
    ['make test VERSION=$(git describe)', 'make test'],
    ['for f in a b; do go vet $f; done', 'go vet'],
    ['while ! curl -s localhost:1; do sleep 1; done', 'curl'],
    ['bash -c "cargo build"', 'cargo build'],
    ['ls | xargs grep x', 'ls'],
    ['xargs grep x', 'grep'],
    ['python3 -m pytest -q', 'pytest'],
    ['python3 -m my_module.cli', 'python'],
    ['python3 - <<E\nx\nE', 'python'],
    ['npx --yes @biomejs/biome@2 check', 'biome'],
    ['command -v jq', 'command'],
    ['P=cargo; $P build', 'cargo build'],
    ['$P build', 'shell'],
    ['', 'shell'],
    ['# nothing', 'shell'],
  ])('%s is %s', (line, expected) => {
    expect(readShell(line).reading.command).toBe(expected);
  });

  it('never shows an argument', () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9_/=:@.-]{6,40}$/).map(text => `Zq9${text}`);
    const frame = fc.constantFrom(
      (s: string) => `curl -H "Authorization: ${s}" https://x.com/${s}`,
      (s: string) => `TOKEN=${s} ./deploy.sh ${s}`,
      (s: string) => `export TOKEN=${s} && env`,
      (s: string) => `git commit -m "${s}"`,
      (s: string) => `psql -p${s} ${s}`,
      (s: string) => `echo ${s} | docker login -p ${s}`,
      (s: string) => `cat ${s}`,
      (s: string) => `python3 -c "${s}"`,
      (s: string) => `kubectl -n ${s} get ${s}`,
    );
    fc.assert(
      fc.property(secret, frame, (text, line) => {
        expect(readShell(line(text)).reading.command).not.toContain('Zq9');
      }),
    );
  });
});
