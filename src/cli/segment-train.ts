import { labelled } from '../evaluation/contestants.ts';
import { goldSessions } from '../evaluation/segments.ts';
import { train } from '../meaning/segmentation/backends/learned.ts';
import { sequencesOf } from '../meaning/segmentation/steps.ts';
import { counted } from '../trace/counted.ts';
import { UsageError } from '../trace/usage-error.ts';
import { readHistory } from './history.ts';
import type { HistoryFlags } from './options.ts';
import { checkOutput, writeOutput } from './output.ts';
import { SEGMENT_TEXTS } from './segment.ts';

interface TrainFlags extends HistoryFlags {
  gold: string;
  hide: string[];
  output: string;
}

export async function segmentTrain(flags: TrainFlags): Promise<void> {
  checkOutput(flags.output);
  const { trace, rows } = await readHistory(flags, { texts: SEGMENT_TEXTS });
  const sequences = sequencesOf(trace, rows, new Set([flags.gold, ...flags.hide]));
  const sessions = goldSessions(trace, sequences, flags.gold, undefined);
  if (sessions.length === 0)
    throw new UsageError(`--gold: no selected operation has a value of the field ${JSON.stringify(flags.gold)}.`);
  const model = train(sessions.map(labelled));
  writeOutput(flags.output, sink => sink(`${JSON.stringify(model, null, 1)}\n`));
  if (!flags.quiet)
    process.stderr.write(
      `${flags.output}: ${counted(Object.keys(model.weights).length, 'weight')} from ${counted(model.gaps, 'gap')} of ${counted(model.sessions, 'session')}\n`,
    );
}
