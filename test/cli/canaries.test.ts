import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ASSIGNED, assertNoCanary, CANARIES, canariesIn, EMAILS, HOMES, SHAPED } from '../privacy/canaries.ts';
import { plantCanaries } from '../privacy/plant.ts';
import { agentpprof, scratch } from './program.ts';

const place = scratch('canaries');
const home = join(place.path, 'home');
beforeAll(() => {
  mkdirSync(home);
  plantCanaries(home);
});
afterAll(() => place.remove());

const VIEWS = ['operations', 'tokens', 'cost', 'time', 'files', 'network', 'failures'];
const EVERYTHING =
  'project,agent,agent_version,entrypoint,session,branch,cwd,prompt,call,model,tool,command,process,file,effect,status,error,skill,mcp_server,prompt_id';

describe('no secret, e-mail, home, user name or prompt leaves', () => {
  test('the canaries are really there', () => {
    const planted = readdirSync(home, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
    const found = new Set(planted.flatMap(entry => canariesIn(readFileSync(join(entry.parentPath, entry.name)))));
    expect(found.size).toBeGreaterThan(CANARIES.length / 2);
  });

  /** Formats are functions of one profile: all of them are tried on one view, one of them on each other view. */
  test.each(VIEWS)('in any format of the %s view', view => {
    for (const extension of view === 'tokens'
      ? ['pb.gz', 'folded', 'svg', 'json', 'speedscope.json', 'txt']
      : ['json']) {
      const path = join(place.path, `${view}.${extension}`);
      const ran = agentpprof(['--home', home, '--view', view, '-o', path]);
      expect(ran.code).toBe(0);
      assertNoCanary(readFileSync(path), path);
      assertNoCanary(ran.err.replaceAll(place.path, ''), 'what is said');
    }
  });

  test('in a stack of every field there is', () => {
    for (const extension of ['pb.gz', 'json']) {
      const path = join(place.path, `all.${extension}`);
      expect(agentpprof(['--home', home, '--stack', EVERYTHING, '-o', path]).err).toContain('tokens');
      assertNoCanary(readFileSync(path), path);
    }
  });

  test.each(['otlp-json', 'otlp-proto', 'chrome-trace', 'csv', 'openmetrics'])('in an export as %s', format => {
    const ran = agentpprof(['export', '--home', home, '--format', format, '-o', '-']);
    expect([ran.code, ran.bytes.length > 1000]).toEqual([0, true]);
    assertNoCanary(ran.bytes, format);
  });

  test.each(['otlp-json', 'otlp-proto'])(
    'in the words of prompts that an export as %s was asked to hold, nothing but names that have no shape',
    format => {
      const ran = agentpprof(['export', '--home', home, '--format', format, '-o', '-', '--include-previews']);
      expect(ran.bytes.toString('latin1')).toContain('gen_ai.input.messages');
      expect(ran.bytes.toString('latin1')).toContain('fix the login');
      assertNoCanary(ran.bytes, format, [...SHAPED, ...ASSIGNED, ...EMAILS, ...HOMES]);
    },
  );

  test('in tables, ledgers and summaries', () => {
    for (const args of [
      [],
      ['--json'],
      ['sessions'],
      ['sessions', '--json'],
      ...['project', 'branch', 'model', 'tool', 'command', 'cwd', 'file'].map(by => ['sessions', '--by', by]),
      ['reconcile'],
      ['reconcile', '--json'],
      ['explain', 'agent:claude-code', '--limit', '0'],
      ['explain', 'agent:codex', '--limit', '0', '--json'],
      ['doctor'],
      ['doctor', '--json'],
    ]) {
      const ran = agentpprof([...args, '--home', home]);
      expect(ran.code).toBe(0);
      assertNoCanary(ran.out, args.join(' '));
    }
  });

  test('in the path of a file that explain leads to, and a shell opens it all the same', () => {
    const args = ['explain', 'agent:claude-code', '--limit', '0', '--json'];
    const files = (...more: string[]): string[] =>
      JSON.parse(agentpprof([...args, ...more], { home }).out).shown.map((each: { file: string }) => each.file);
    const shown = [...new Set(files())];
    const whole = [...new Set(files('--full-paths'))];
    expect(shown.filter(file => /^~\/.*-(?:home|Users)-\*/.test(file)).length).toBeGreaterThan(0);
    assertNoCanary(shown.join('\n'), 'paths');
    expect(whole.every(file => file.startsWith(home))).toBe(true);
    const opened = shown.flatMap(file => {
      const found = execFileSync('sh', ['-c', `printf '%s\\n' ${file}`], { env: { HOME: home }, encoding: 'utf8' });
      return found.trimEnd().split('\n');
    });
    expect(opened.sort()).toEqual(whole.sort());
  });

  test('as words in names that are made of what was said and done', () => {
    const squashed = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
    const needles = [...SHAPED, ...EMAILS].flatMap(canary =>
      canary.needles.map(needle => squashed(needle).slice(0, 9)),
    );
    const env = { HOME: place.path };
    expect(agentpprof(['segment', 'run', '--home', home], { env }).code).toBe(0);
    for (const args of [
      ['--tagger', 'cluster', '--stack', 'prompt', '-o', '-', '--format', 'folded'],
      ['--stack', 'task', '--view', 'operations', '-o', '-', '--format', 'folded'],
      ['tags', 'status', '--json', '--tag-rule', 'nothing=^nothing$', '--tagger', 'regex'],
      ['tags', 'suggest', '--json', '--tag-rule', 'nothing=^nothing$', '--tagger', 'regex', '--min-prompts', '1'],
      ['tags', 'init', '-o', '-', '--tag-rule', 'nothing=^nothing$', '--tagger', 'regex', '--min-prompts', '1'],
    ]) {
      const ran = agentpprof([...args, '--home', home], { env });
      expect([args, ran.code, ran.out.length > 100]).toEqual([args, 0, true]);
      const out = squashed(ran.out);
      expect([args, needles.filter(needle => out.includes(needle))]).toEqual([args, []]);
    }
  });

  test('in anything the program keeps', () => {
    const kept: string[] = [];
    const own = join(place.path, 'own');
    mkdirSync(own, { recursive: true });
    agentpprof(['--home', home, '-o', join(place.path, 'x.svg')], {
      env: { HOME: own, XDG_CONFIG_HOME: join(own, 'config'), XDG_CACHE_HOME: join(own, 'cache') },
    });
    for (const entry of readdirSync(own, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) kept.push(join(entry.parentPath, entry.name));
    for (const path of kept) expect((statSync(path).mode & 0o077).toString(8)).toBe('0');
  });
});
