import { type Keep, WHOLE } from '../../ingest/keep.ts';

const ID = 200;
const WORD = 60;

const OBSERVATION: Readonly<Record<string, Keep>> = {
  id: ID,
  traceId: ID,
  parentObservationId: ID,
  type: WORD,
  name: ID,
  startTime: WORD,
  endTime: WORD,
  level: WORD,
  statusMessage: 2000,
  version: ID,
  model: ID,
  sessionId: ID,
  userId: ID,
  input: WHOLE,
  output: WHOLE,
  usage: WORD,
  usageDetails: WORD,
  metadata: WHOLE,
};

const TRACE: Readonly<Record<string, Keep>> = { ...OBSERVATION, timestamp: WORD, release: ID };

/** A trace with its observations, a list of observations, or one observation. */
export const KEEP: Keep = {
  keys: { ...TRACE, trace: { keys: TRACE }, observations: { keys: OBSERVATION }, data: { keys: OBSERVATION } },
};
