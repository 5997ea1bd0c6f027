import type { Profile } from '../../src/profile/profile.ts';

type Write<Options> = (profile: Profile, sink: (chunk: string | Uint8Array) => void, options: Options) => void;

/** Everything that a format writes, as bytes. */
export function bytesOf<Options extends object>(write: Write<Options>, profile: Profile, options?: Options): Buffer {
  const chunks: Buffer[] = [];
  const sink = (chunk: string | Uint8Array) => {
    chunks.push(typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : Buffer.from(chunk));
  };
  write(profile, sink, options ?? ({} as Options));
  return Buffer.concat(chunks);
}

/** The same as text. */
export function textOf<Options extends object>(write: Write<Options>, profile: Profile, options?: Options): string {
  return bytesOf(write, profile, options).toString('utf8');
}
