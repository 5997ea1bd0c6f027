import { type Keep, WHOLE } from '../../ingest/keep.ts';
import { whereabouts } from './whereabouts.ts';

export const AGENT = whereabouts.agent;

const OUTPUT = 64 << 10;

export const KEEP: Keep = {
  keys: {
    trajectory: {
      keys: {
        action: WHOLE,
        observation: OUTPUT,
        response: OUTPUT,
        thought: OUTPUT,
        state: { keys: { open_file: 4096, working_dir: 4096 }, text: 8192 },
      },
    },
    history: { keys: { role: 60, content: { keys: { type: 60, text: WHOLE }, text: WHOLE }, is_demo: 0 } },
    info: { keys: { model_stats: { keys: { tokens_sent: 0, tokens_received: 0, api_calls: 0 } } } },
  },
};

/** A file's name without its ending. */
export function stemOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).replace(/(\.traj)?\.[^.]*$/, '');
}
