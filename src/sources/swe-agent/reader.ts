import type { Operations } from '../../trace/operations.ts';
import { digest } from '../digest.ts';
import { OK } from '../failures.ts';
import type { FileLedger } from '../ledger.ts';
import type { Head, Reader, RecordSink, SourceFile } from '../reader.ts';
import { Scribe } from '../scribe.ts';
import { isObject, listOf, type Obj, objectOf, plainText, textOf } from '../shapes.ts';
import type { Strand } from '../strand.ts';
import { AGENT, KEEP, stemOf } from './format.ts';
import { spend } from './stats.ts';
import { askedOf, stateOf } from './tools.ts';
import { whereabouts } from './whereabouts.ts';

/** SWE-agent trajectories: see README.md beside this file. They lie wherever a run was told to put them. */
export const sweAgent: Reader = {
  ...whereabouts,
  keep: KEEP,
  sniff,
  isDocument: path => /\.(traj|json)$/.test(path),
  open: (file, out, ledger) => new TrajectorySink(file, out, ledger),
};

function sniff({ path, records, document }: Head): boolean {
  const value = document ?? (records.length === 1 ? records[0] : undefined);
  if (value !== undefined) return isTrajectory(value);
  // A pretty-printed document has no records; where it was not parsed, its name tells.
  return path.endsWith('.traj') && !records.some(isObject);
}

function isTrajectory(value: unknown): boolean {
  if (!isObject(value) || !Array.isArray(value.trajectory) || !isObject(value.info)) return false;
  return listOf(value.trajectory).every(step => isObject(step) && 'action' in step && 'observation' in step);
}

class TrajectorySink implements RecordSink {
  private readonly scribe: Scribe;
  private readonly file: SourceFile;

  constructor(file: SourceFile, out: Operations, ledger: FileLedger) {
    this.file = file;
    this.scribe = new Scribe(AGENT, file, out, ledger);
  }

  record(value: unknown, offset: number, bytes: number): void {
    const { scribe } = this;
    if (!isObject(value) || !Array.isArray(value.trajectory)) {
      scribe.ledger.badLines++;
      return;
    }
    scribe.offset = offset;
    scribe.bytes = bytes;
    const steps = listOf(value.trajectory).map(objectOf);
    const stats = objectOf(objectOf(value.info).model_stats);
    // Runs have no id, and one task is tried many times: what the model said tells them apart.
    const { high, low } = digest([stats, steps.map(step => step.response)]);
    const id = `${stemOf(this.file.path)} ${high.toString(16)}${low.toString(16)}`;
    const strand = scribe.begin(id);
    scribe.inDirectory(strand, textOf(stateOf(steps[0] ?? {}).working_dir));
    const issue = listOf(value.history)
      .map(objectOf)
      .find(said => said.role === 'user' && said.is_demo !== true);
    if (issue !== undefined) scribe.prompt(strand, `${id} issue`, plainText(issue.content), 0);
    for (const [n, step] of steps.entries()) this.step(strand, `${id} ${n}`, step);
    spend(scribe, strand, `${id} usage`, stats);
  }

  private step(strand: Strand, key: string, step: Obj): void {
    const { scribe } = this;
    const call = scribe.call(strand, key, '', 0);
    scribe.out.texts.put('call', call, textOf(step.response) || textOf(step.thought));
    const action = textOf(step.action).trim();
    if (action === '') return;
    const tool = scribe.tool(strand, call, askedOf(action, key, textOf(stateOf(step).open_file)), 0);
    if (typeof step.observation === 'string') scribe.result(tool, OK, 0, step.observation);
  }

  /** A document has no later part. */
  end(): undefined {}
}
