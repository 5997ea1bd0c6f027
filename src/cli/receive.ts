import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeFolder } from '../disk/folder.ts';
import { tracesDirectory } from '../sources/otel/paths.ts';
import { counted } from '../trace/counted.ts';
import { UsageError } from '../trace/usage-error.ts';
import { checkOutput } from './output.ts';
import { startReceiver } from './receiver.ts';
import { shownPath } from './shown-path.ts';
import { untilStopped } from './until-stopped.ts';

export interface ReceiveFlags {
  port: string;
  output?: string;
  quiet?: boolean;
}

/** Receives traces until the person (SIGINT) or the system (SIGTERM) ends it. Resolves when all is written. */
export async function receive({ port, output, quiet }: ReceiveFlags): Promise<void> {
  const number = /^\d{1,5}$/.test(port) ? Number(port) : Number.NaN;
  if (!(number <= 65_535))
    throw new UsageError(`--port: ${port} is no port; give a number up to 65535, 0 for a free one.`);
  if (output === '-') throw new UsageError('-o: requests are appended to a file, not to standard output; name one.');
  if (output !== undefined) checkOutput(output);
  const file = output === undefined ? newFile() : resolve(output);
  const receiver = await startReceiver({ file, port: number });
  const tell = (text: string) => {
    if (!quiet) process.stderr.write(`${text}\n`);
  };
  tell(`Listening on http://127.0.0.1:${receiver.port} for OTLP traces; they go to ${shownPath(file)}`);
  tell(
    `Set OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:${receiver.port} and OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf`,
  );
  await untilStopped();
  await receiver.close();
  tell(`${counted(receiver.counts.written, 'request')} written, ${receiver.counts.refused} refused`);
}

/** One file a run, by its start: what earlier runs wrote never changes and is not read again. */
function newFile(): string {
  const start = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const directory = tracesDirectory(homedir(), process.env);
  try {
    makeFolder(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`receive: ${shownPath(directory)} cannot be made (${code}); name a file elsewhere with -o.`);
  }
  return join(directory, `traces-${start}.jsonl`);
}
