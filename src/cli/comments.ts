import type { View } from '../profile/views.ts';
import type { History } from './history.ts';
import { recordedLine } from './recorded-words.ts';
import { sharesOf } from './tags.ts';
import { VERSION } from './version.ts';

/** What a profile says of itself, so that the same bytes can be made again: no paths, no texts. */
export function commentsOf(history: History, view: View): string[] {
  const { tags, money, narrowed, files, recorded, zone } = history;
  return [
    `agentpprof ${VERSION}`,
    `view ${view.name}, width ${view.measure}, stack ${view.stack.join(',')}`,
    `selection: ${narrowed.length === 0 ? 'everything' : narrowed.join('; ')}`,
    `${history.rows.length} ${history.rows.length === 1 ? 'operation' : 'operations'} and effects of ${files} ${files === 1 ? 'file' : 'files'}`,
    ...(tags
      ? [
          `tags: ${tags.source}, fingerprint ${tags.fingerprint}, ${tags.tagged} of ${tags.prompts} ${tags.prompts === 1 ? 'prompt' : 'prompts'}`,
          ...(tags.tagged > 0 ? [`tags decided by: ${sharesOf(tags)}`] : []),
        ]
      : []),
    ...(money
      ? [
          `prices: ${money.version}, ${money.summary.unpricedCalls} ${money.summary.unpricedCalls === 1 ? 'call' : 'calls'} unpriced`,
        ]
      : []),
    ...(recorded ? [recordedLine(recorded)] : []),
    `days in ${zone}`,
  ];
}
