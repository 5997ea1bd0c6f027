import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FORMATS, formatNamed, formatOfPath, UnknownFormatError } from '../../src/formats/index.ts';
import { bytesOf } from '../support/collect.ts';
import { profileOf } from '../support/profiles.ts';
import { randomProfile } from './random-profile.ts';

describe('the format of a file', () => {
  test.each([
    ['out.pb.gz', 'pprof'],
    ['out.pb', 'pprof-raw'],
    ['/a.svg/x.folded', 'folded'],
    ['tokens.svg', 'svg'],
    ['TOKENS.SVG', 'svg'],
    ['a.b.json', 'json'],
    ['profile.html', 'html'],
    ['x.speedscope.json', 'speedscope'],
    ['summary.txt', 'text'],
  ])('%s is %s', (path, name) => {
    expect(formatOfPath(path).name).toBe(name);
  });

  test.each(['out', 'out.png', 'out.gz', 'pb', 'out.svg/'])('%s is none, and the error names those there are', path => {
    expect(() => formatOfPath(path)).toThrow(UnknownFormatError);
    expect(() => formatOfPath(path)).toThrow(
      `no format for "${path}": its name must end in .pb.gz, .pb, .folded, .svg, .html, .speedscope.json, .json or .txt`,
    );
  });

  test('can be one that another room adds', () => {
    const own = { name: 'own', extensions: ['.own'], binary: false, write: () => {} };
    expect(formatOfPath('x.own', [...FORMATS, own])).toBe(own);
  });
});

describe('the format of a name', () => {
  test.each(FORMATS.map(format => [format.name]))('%s is known', name => {
    expect(formatNamed(name).name).toBe(name);
  });

  test('is an error that lists the names for any other', () => {
    expect(() => formatNamed('png')).toThrow(
      'no format "png": there are pprof, pprof-raw, folded, svg, html, speedscope, json, text',
    );
  });
});

const WRITERS = await Promise.all(
  FORMATS.map(async ({ name, binary, writer }) => ({ name, binary, write: await writer() })),
);

describe('every format', () => {
  test.each(WRITERS.map(format => [format.name, format] as const))(
    '%s gives equal bytes for equal profiles',
    (_, format) => {
      fc.assert(
        fc.property(randomProfile(), profile => {
          expect(bytesOf(format.write, profile, {}).equals(bytesOf(format.write, structuredClone(profile), {}))).toBe(
            true,
          );
        }),
        { numRuns: 30 },
      );
    },
  );

  test.each(WRITERS.map(format => [format.name, format] as const))('%s writes a profile of nothing', (_, format) => {
    expect(() => bytesOf(format.write, profileOf(''), {})).not.toThrow();
  });

  test.each(WRITERS.filter(format => !format.binary).map(format => [format.name, format] as const))(
    '%s is text that any decoder of UTF-8 accepts',
    (_, format) => {
      fc.assert(
        fc.property(randomProfile(true), profile => {
          new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(format.write, profile, {}));
          let text = '';
          format.write(
            profile,
            chunk => {
              text += chunk;
            },
            {},
          );
          expect(/\p{Surrogate}/u.test(text)).toBe(false);
        }),
        { numRuns: 30 },
      );
    },
  );
});
