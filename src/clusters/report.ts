import type { Counted, Spread } from './describe.ts';
import type { Rate } from './interval.ts';

/** A clustering as reports give it: plain values, JSON as it stands. Times in nanoseconds, money in micro-dollars. */
export interface Report {
  readonly schema: 'agentpprof.clusters/1';
  readonly unit: string;
  readonly units: number;
  /** Units that could have been clustered; more than `units` if a sample was drawn. */
  readonly eligible: number;
  readonly odd: Readonly<Record<string, number>>;
  readonly kept_odd: boolean;
  readonly noise: { readonly units: number; readonly share: number };
  readonly failed_when: string;
  readonly embedding: string;
  readonly template: number;
  readonly options: Readonly<Record<string, string | number>>;
  readonly stability: { readonly repeats: number; readonly adjusted_rand: number | null };
  readonly narrowed: readonly string[];
  readonly clusters: readonly ReportedCluster[];
  /** Left out because they are smaller than --min-size. */
  readonly hidden: { readonly clusters: number; readonly units: number };
  readonly by?: Drift;
}

export interface ReportedCluster {
  readonly id: number;
  readonly label: string;
  readonly units: number;
  readonly share: number;
  readonly tokens: number;
  readonly token_share: number;
  readonly cost_microusd: number;
  readonly cost_share: number;
  readonly active_ns: number;
  readonly active_share: number;
  readonly duration_ns: Spread;
  readonly tokens_each: Spread;
  readonly calls_each: Spread;
  readonly tool_calls_each: Spread;
  readonly failures: ReportedRate;
  /** Adjusted Rand index over repeats; null for noise and without repeats. */
  readonly stability: number | null;
  readonly terms: readonly string[];
  readonly tools: readonly Counted[];
  readonly files: readonly Counted[];
  readonly central: readonly Example[];
  readonly edge: readonly Example[];
}

export interface ReportedRate {
  readonly failed: number;
  /** Units of which it is known how they ended. */
  readonly known: number;
  readonly rate: number | null;
  readonly low: number;
  readonly high: number;
}

export interface Example {
  readonly session: string;
  /** Redacted beginning of the unit's text, only where previews were asked for. */
  readonly text?: string;
}

/** How clusters change from one period to the next. */
export interface Drift {
  readonly field: string;
  readonly periods: readonly { readonly period: string; readonly units: number }[];
  readonly clusters: readonly {
    readonly id: number;
    readonly label: string;
    readonly periods: readonly {
      readonly units: number;
      readonly share: number;
      readonly change: 'new' | 'vanished' | 'grown' | 'shrunk' | 'same' | '';
      readonly failures: ReportedRate;
    }[];
  }[];
}

export function reportedRate({ part, whole, rate, low, high }: Rate): ReportedRate {
  return { failed: part, known: whole, rate: rate ?? null, low, high };
}
