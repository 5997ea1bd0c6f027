import { describe, expect, it } from 'vitest';
import { files, text } from './source.ts';

const CODE = /\.(ts|tsx|mjs|js|css)$/;
const WORDS = /\.(ts|tsx|mjs|js|css|md|json|jsonl|yaml|yml|sh|txt)$/;
const HOUSE =
  /^(package(-lock)?\.json|\.npmrc|\.ci\/.*|scripts\/.*|bench\/.*|[^/]+\.config\.ts|biome\.json|knip\.json|tsconfig\.json)$/;
const LONGEST_FILE = 400;

/** One state machine, kept in one function so that its state stays in registers. */
const ONE_FUNCTION = new Set(['src/ingest/kernel/assembly/kernel.ts']);

/** Joined here, so that this file does not find itself. */
const MACHINE_PATHS = [
  ['', 'work', 'main'],
  ['', 'work', 'shared'],
  ['', 'root', '.claude'],
  ['', 'tmp', 'bash_jobs'],
].map(parts => parts.join('/'));
const REGISTRIES = [
  ['registry', 'npmjs'],
  ['registry', 'npmmirror'],
  ['registry', 'yarnpkg'],
  ['proxy', 'golang'],
  ['deb', 'debian'],
].map(parts => parts.join('.'));

const withText = (names: readonly string[], pattern: RegExp): string[] => names.filter(name => pattern.test(name));

describe('the project stands alone', () => {
  it('no file names a place on the machine where it was written', () => {
    const found = withText(files(), WORDS).flatMap(file => {
      const content = text(file);
      return MACHINE_PATHS.filter(place => content.includes(place)).map(place => `${file}: ${place}`);
    });
    expect(found).toEqual([]);
  });

  it('no script, setting or lock file names the host of a registry', () => {
    const found = withText(files(), HOUSE).flatMap(file => {
      const content = text(file);
      return REGISTRIES.filter(host => content.includes(host)).map(host => `${file}: ${host}`);
    });
    expect(found).toEqual([]);
  });

  it('every schema is called after the program and what it holds, words joined by dashes, with a version', () => {
    const named = withText(files(), /^src\/.*\.tsx?$/).flatMap(file =>
      [...text(file).matchAll(/["'`](agent(?:pprof|sight)\.[^"'`\s]*\/\d[^"'`\s]*)["'`]/g)].map(([, name]) => name),
    );
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter(name => !/^agent(pprof|sight)\.[a-z]+(-[a-z]+)*\/[1-9]\d*$/.test(name as string))).toEqual([]);
  });

  it('every dependency is pinned to one version, and the lock file has that one', () => {
    const { dependencies, devDependencies } = JSON.parse(text('package.json'));
    const { packages } = JSON.parse(text('package-lock.json'));
    const asked: Record<string, string> = { ...dependencies, ...devDependencies };
    expect(Object.entries(asked).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    expect(
      Object.fromEntries(Object.keys(asked).map(name => [name, packages[`node_modules/${name}`]?.version])),
    ).toEqual(asked);
  });

  it('no package needs a script to run when it is installed by a user', () => {
    const { dependencies } = JSON.parse(text('package.json'));
    const { packages } = JSON.parse(text('package-lock.json'));
    const scripted = Object.keys(dependencies).filter(name => packages[`node_modules/${name}`].hasInstallScript);
    expect(scripted).toEqual([]);
  });
});

describe('files a person can read in one sitting', () => {
  it(`no file of code has more than ${LONGEST_FILE} lines`, () => {
    const long = withText(files(), CODE)
      .map(file => ({ file, lines: text(file).split('\n').length - 1 }))
      .filter(({ file, lines }) => lines > LONGEST_FILE && !ONE_FUNCTION.has(file));
    expect(long).toEqual([]);
  });

  it('the licence is MIT and the changelog begins with this version', () => {
    const { version, license } = JSON.parse(text('package.json'));
    expect(license).toBe('MIT');
    expect(text('LICENSE')).toMatch(/^MIT License\n\nCopyright \(c\) \d{4} The agentpprof authors\n/);
    expect(/^## (\S+)/m.exec(text('CHANGELOG.md'))?.[1]).toBe(version);
  });
});
