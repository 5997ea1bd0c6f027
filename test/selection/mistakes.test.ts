import { describe, expect, test } from 'vitest';
import { parseDeriveRule } from '../../src/profile/derive.ts';
import { parseCondition } from '../../src/selection/where.ts';

describe('mistakes that would silently select or derive nothing', () => {
  test('`=~` is told to be `~`', () => {
    expect(() => parseCondition('tool=~Ba.h', '--where')).toThrow(/a pattern is written tool~Ba\.h\.$/);
    expect(parseCondition('tool~Ba.h', '--where')).toMatchObject({ operator: '~', operand: 'Ba.h' });
    expect(parseCondition('tool!=~x', '--where')).toMatchObject({ operator: '!=' });
  });

  test.each(['tokens', 'cost', 'time', 'input_tokens'])('a rule cannot give the measure %s', name => {
    expect(() => parseDeriveRule(`${name}:x=tool=Bash`, '--op-map')).toThrow(`${name} is a measure`);
  });
});
