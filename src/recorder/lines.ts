import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Calls `take` with each whole line of a stream, in arrival order; resolves when the stream is over, also when it broke. */
export function eachLine(stream: Readable, take: (line: string) => void): Promise<void> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return new Promise(resolve => {
    stream.on('data', (chunk: Buffer) => {
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(line);
    });
    stream.on('end', resolve);
    stream.on('close', resolve);
    stream.on('error', () => resolve());
  });
}
