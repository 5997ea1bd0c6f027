import { writeFileSync } from 'node:fs';
import { seeded } from './shapes.ts';

/** A kind of session that the made history holds. */
export interface Kind {
  readonly name: string;
  /** Words that its prompts are made of. */
  readonly words: string;
  readonly steps: readonly (readonly [tool: string, command: string, path: string])[];
}

export const KINDS: readonly Kind[] = [
  {
    name: 'tests',
    words: 'unit test cart total price rounding assert mock fixture coverage 单元 测试 失败 修复',
    steps: [
      ['Bash', 'pytest', ''],
      ['Read', '', 'tests/test_cart.py'],
      ['Edit', '', 'src/cart.py'],
      ['Bash', 'pytest', ''],
    ],
  },
  {
    name: 'deploy',
    words: 'staging image rollout replica ingress cluster namespace secret 部署 环境 回滚 node pod registry',
    steps: [
      ['Bash', 'docker build', 'Dockerfile'],
      ['Bash', 'kubectl apply', 'deploy/staging.yaml'],
      ['Bash', 'kubectl rollout', ''],
    ],
  },
  {
    name: 'docs',
    words: 'handbook chapter invoice picture paragraph glossary heading reader 手册 章节 图片 spelling index',
    steps: [
      ['Read', '', 'docs/handbook.md'],
      ['Write', '', 'docs/invoices.md'],
      ['WebFetch', '', ''],
    ],
  },
];

export interface Made {
  /** Sessions of each kind. */
  readonly each: number;
  /** How likely a session of a kind fails. */
  readonly fails?: Readonly<Record<string, number>>;
  readonly seed?: number;
  /** Put before session ids. */
  readonly prefix?: string;
  /** Version by index of the session within its kind. */
  readonly version?: (at: number, kind: string) => string;
  /** Day of 2026 by index of the session within its kind. */
  readonly day?: (at: number, kind: string) => number;
  readonly kinds?: readonly Kind[];
}

const DAY = 86_400;

/** Lines of an operation file. Sessions of a kind do the kind's steps, some of them again, with a call before each. */
export function madeHistory({ each, fails = {}, seed = 1, prefix = '', version, day, kinds = KINDS }: Made): string[] {
  const random = seeded(seed);
  const lines: string[] = [];
  for (const kind of kinds) {
    for (let at = 0; at < each; at++) {
      const session = `${prefix}${kind.name}-${at}`;
      let now = Date.UTC(2026, 0, 1 + (day?.(at, kind.name) ?? at % 28)) / 1000 + Math.floor(random() * DAY);
      const failed = random() < (fails[kind.name] ?? 0);
      const common = { session, project: 'shop', agent_version: version?.(at, kind.name) ?? '1.0' };
      const row = (fields: Record<string, unknown>, measures: Record<string, number>) => {
        lines.push(
          JSON.stringify({ measures, fields: { ...common, start_ns: `${now}000000000`, duration_ns: 2e9, ...fields } }),
        );
        now += 5;
      };
      const words = kind.words.split(' ');
      const text = Array.from({ length: 8 }, () => words[Math.floor(random() * words.length)]).join(' ');
      row({ kind: 'prompt', text }, { operations: 1 });
      const steps = [...kind.steps, ...kind.steps.filter(() => random() < 0.4)];
      for (const [i, [tool, command, path]] of steps.entries()) {
        row(
          { kind: 'call', model: 'made-1' },
          { operations: 1, input_tokens: 900 + Math.floor(200 * random()), output_tokens: 100 },
        );
        const last = i === steps.length - 1;
        row(
          { kind: 'tool', tool, command, path, ...(failed && last ? { status: 'error', error: 'exit' } : {}) },
          { operations: 1 },
        );
      }
    }
  }
  return lines;
}

export function writeHistory(path: string, made: Made): string {
  writeFileSync(path, `${madeHistory(made).join('\n')}\n`);
  return path;
}
