import { onPath } from '../find-engine.ts';
import type { Recording } from '../recording.ts';
import type { WriterOptions } from '../writer.ts';
import { TlsCapture, type TlsPiece } from './capture.ts';
import { type Outcome, TlsProbes } from './probes.ts';
import { TextFile } from './text-file.ts';

/** After the end of a process its last pieces may still be on their way. */
const LATE_MS = 500;

/** `--tls` of one recording: probes on what the tree runs, messages out of what they see, and the file that holds the text. */
export class TlsSession {
  /** How the text of the target's program is read, once `prepare` is done. */
  cap: 'openssl' | 'boringssl-offset' | 'none' = 'none';
  private readonly probes: TlsProbes;
  private readonly outcomes: Outcome[] = [];
  private engine: { say(line: string): void; over: Promise<void> } | undefined;
  private capture: TlsCapture | undefined;
  private told: (outcome: Outcome) => void = outcome => void this.outcomes.push(outcome);
  private refusal: string | undefined;
  private close: () => void = () => {};

  constructor() {
    this.probes = new TlsProbes(
      line => this.engine?.say(line),
      outcome => this.told(outcome),
    );
  }

  /** A line of the engine about TLS. Pieces hold text in clear: they go no further than this. */
  engineLine(line: string): void {
    const event = JSON.parse(line) as { type: string; why?: string; path: string };
    if (event.type === 'tls.bytes') this.capture?.take(event as unknown as TlsPiece);
    else if (event.type === 'tls.probed') this.probes.answered(event);
    else if (event.type === 'tls.open') this.refusal = event.why;
  }

  /** Puts probes on what the target is likely to use. The target is not running yet, or has run for long. */
  async prepare(
    engine: { say(line: string): void; over: Promise<void> },
    program: string,
    env: NodeJS.ProcessEnv,
  ): Promise<void> {
    if (this.refusal !== undefined) return;
    this.engine = engine;
    void engine.over.then(() => this.probes.over());
    const path = onPath(program, env);
    const node = onPath('node', env);
    await this.probes.prepare([path, node].filter(each => each !== undefined));
    const own = this.outcomes.find(each => each.path === path) ?? this.outcomes.find(each => 'library' in each);
    if (own !== undefined && 'how' in own) this.cap = own.how === 'fingerprint' ? 'boringssl-offset' : 'openssl';
  }

  /** From here on messages and outcomes go into the recording. Throws what the file system throws. */
  into(recording: Recording, options: WriterOptions): void {
    if (this.refusal !== undefined) {
      recording.gap('tls_unavailable', undefined, this.refusal);
      return;
    }
    const texts = new TextFile(recording.id, options);
    const capture = new TlsCapture({
      event: event => recording.line(JSON.stringify(event)),
      text: line => texts.line(line),
    });
    this.capture = capture;
    this.told = outcome => {
      const { path, ...rest } = outcome;
      const t_ns = Number(process.hrtime.bigint());
      if ('why' in rest) recording.gap('tls_unavailable', undefined, `${path}: ${rest.why}`);
      else recording.line(JSON.stringify({ type: 'tls.probe', seq: 0, t_ns, path, ...rest }));
    };
    for (const outcome of this.outcomes) this.told(outcome);
    recording.listen(line => {
      if (line.startsWith('{"type":"gap"') && line.includes('"tls_lost"')) capture.lost();
      if (line.startsWith('{"type":"proc.exit"')) {
        const { pid, start_ns, t_ns } = JSON.parse(line) as { pid: number; start_ns: number; t_ns: number };
        setTimeout(() => capture.ended(`${pid}:${start_ns}`, t_ns), LATE_MS).unref();
      }
      this.probes.line(line);
    });
    const timer = setInterval(() => texts.flush(), 1000);
    timer.unref();
    this.close = () => {
      clearInterval(timer);
      capture.end(Number(process.hrtime.bigint()));
      texts.close();
      if (texts.failure !== undefined) recording.gap('tls_unavailable', undefined, texts.failure);
    };
  }

  /** What is under way counts as cut; nothing comes after it. */
  finish(): void {
    const { close } = this;
    [this.close, this.capture] = [() => {}, undefined];
    close();
  }
}
