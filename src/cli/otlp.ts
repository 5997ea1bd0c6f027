import { SendError, type Sent, send, tracesUrl } from '../exports/send.ts';
import type { TracesData } from '../otlp/encode.ts';
import { counted } from '../trace/counted.ts';
import { UsageError } from '../trace/usage-error.ts';

/** Where spans are sent; nothing leaves the machine where no endpoint is named. */
export interface OtlpFlags {
  otlpEndpoint?: string;
  otlpHeader: string[];
}

/** Of the variable `NAME=VALUE,NAME=VALUE` with percent escapes, as OpenTelemetry has it; the option wins. */
export function headersOf({ otlpHeader, otlpEndpoint }: OtlpFlags): Record<string, string> {
  if (otlpEndpoint === undefined) {
    if (otlpHeader.length > 0) throw new UsageError('--otlp-header: is for --otlp-endpoint, which is not given.');
    return {};
  }
  try {
    tracesUrl(otlpEndpoint);
  } catch (error) {
    throw new UsageError(`--otlp-endpoint: ${(error as Error).message}.`);
  }
  const given = (process.env.OTEL_EXPORTER_OTLP_HEADERS ?? '').split(',').filter(each => each.includes('='));
  const headers: Record<string, string> = {};
  for (const [from, entry] of [...given.map(each => ['env', each]), ...otlpHeader.map(each => ['flag', each])]) {
    const [, name = '', value = ''] = /^\s*([\w-]+)\s*=(.*)$/s.exec(entry as string) ?? [];
    if (name === '' || /[\r\n]/.test(value)) {
      if (from === 'flag')
        throw new UsageError('--otlp-header: write NAME=VALUE, for instance authorization=Bearer ....');
      continue;
    }
    headers[name.toLowerCase()] = from === 'env' ? decoded(value.trim()) : value.trim();
  }
  return headers;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Sends spans and says what was sent. Throws an error that names the option. */
export async function deliver(
  batches: Iterable<TracesData>,
  { otlpEndpoint: endpoint = '', json, quiet }: OtlpFlags & { json?: boolean; quiet?: boolean },
  format: string,
  headers: Record<string, string>,
): Promise<void> {
  let sent: Sent;
  try {
    sent = await send(batches, { endpoint, format: format as 'otlp-json' | 'otlp-proto', headers });
  } catch (error) {
    if (error instanceof SendError) throw new Error(`--otlp-endpoint: ${error.message}.`);
    throw error;
  }
  if (json) process.stdout.write(`${JSON.stringify({ schema: 'agentpprof.export/1', ...sent }, null, 2)}\n`);
  else if (!quiet) {
    const refused = sent.rejected > 0 ? `; ${sent.rejected} of them were refused` : '';
    process.stderr.write(`sent ${counted(sent.spans, 'span')} in ${counted(sent.batches, 'request')}${refused}\n`);
  }
}
