import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { microsOf } from '../../../src/sources/instants.ts';

describe('instants', () => {
  it('are read as a Date reads them, to the millisecond', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(1), max: new Date('2254-12-31T23:59:59.999Z'), noInvalidDate: true }),
        date => {
          expect(microsOf(date.toISOString())).toBe(date.getTime() * 1000);
        },
      ),
    );
  });

  it.each<[unknown, string]>([
    ['2025-07-03T15:52:07.875917Z', '2025-07-03T15:52:07.875917'],
    ['2025-07-03T15:52:07Z', '2025-07-03T15:52:07.000000'],
    ['2025-07-03T15:52:07.5+02:00', '2025-07-03T13:52:07.500000'],
    ['2025-07-03T23:30:00.000-01:30', '2025-07-04T01:00:00.000000'],
    ['2024-02-29T00:00:00.123456789Z', '2024-02-29T00:00:00.123456'],
  ])('%s keeps its microseconds and its zone', (text, expected) => {
    const micros = microsOf(text);
    expect(
      new Date(Math.floor(micros / 1000)).toISOString().slice(0, 23) + String(micros % 1000).padStart(3, '0'),
    ).toBe(expected);
  });

  it.each([
    undefined,
    null,
    12,
    {},
    '',
    'yesterday',
    '[trimmed for fixture]',
    '1969-12-31T23:59:59Z',
    '2025-13-01T00:00:00Z',
    `2025-01-01T00:00:00${'0'.repeat(500)}`,
  ])('%j is no time', value => expect(microsOf(value)).toBe(0));

  it('are never anything but a whole number from 0 on, whatever the text', () => {
    const almost = fc
      .tuple(fc.nat(99999999), fc.constantFrom('T', '-', ':', 'Z', '+', '.'), fc.nat(99999999))
      .map(parts => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(fc.string(), almost, fc.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.{0,12}$/)), text => {
        const micros = microsOf(text);
        expect(Number.isSafeInteger(micros) && micros >= 0).toBe(true);
      }),
    );
  });
});
