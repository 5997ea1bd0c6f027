import { connect } from 'node:net';
import { UsageError } from '../trace/usage-error.ts';
import { ModelError } from './types.ts';

/** Where requests go. */
export interface Endpoint {
  /** Ends in `/v1` or whatever the server puts before `/chat/completions`. */
  readonly base: string;
  /** For messages: scheme, host and port, nothing that may hold a secret. */
  readonly shown: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly flag: string;
}

const KEYS = 'AGENTPPROF_LLM_KEY';

/** The endpoint of an address as people write it. Throws UsageError that names the flag. */
export function endpointOf(address: string, flag: string, env: NodeJS.ProcessEnv, keyName = KEYS): Endpoint {
  const fail = (what: string) =>
    new UsageError(`${flag}: ${what}; give the address of the server, for example http://127.0.0.1:8080`);
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(address);
  let url: URL;
  try {
    url = new URL(whole ? address : `http://${address}`);
  } catch {
    throw fail('this is no address');
  }
  // A machine may be called anything, but a lone word is rather a slip than its name; it may be a key, so it is not repeated.
  if (!whole && !/[.:]/.test(address) && url.hostname !== 'localhost') throw fail('a lone word is no address');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw fail(`${url.protocol} is not http or https`);
  if (url.username !== '' || url.password !== '')
    throw new UsageError(`${flag}: a password in an address shows in process lists; put the key into ${keyName}`);
  if (url.search !== '' || url.hash !== '') throw fail('it has a query');
  const path = url.pathname.replace(/\/+$/, '').replace(/\/(?:chat\/completions|completions|embeddings|models)$/, '');
  const key = keyFor(url, env, keyName);
  return {
    base: `${url.origin}${path === '' ? '/v1' : path}`,
    shown: url.origin,
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    flag,
  };
}

/** The key is ours to send anywhere if it was put there for this program; OpenAI's own goes to OpenAI alone. */
function keyFor(url: URL, env: NodeJS.ProcessEnv, keyName: string): string | undefined {
  const key = env[keyName] || (url.hostname === 'api.openai.com' ? env.OPENAI_API_KEY : undefined);
  if (key !== undefined && /[^\x21-\x7e]/.test(key))
    throw new UsageError(`${keyName}: the key holds a character that no key has (a blank or a line break?)`);
  return key;
}

/** Who does not answer a knock within this time is not there. */
const KNOCK = 900;

/** Opens and closes a connection, so that a server that is not there is known at once. Throws ModelError. */
export async function knock(endpoint: Endpoint): Promise<void> {
  const { hostname, port, protocol } = new URL(endpoint.base);
  const host = hostname.replace(/^\[|\]$/g, '');
  const reason = await new Promise<string | undefined>(resolve => {
    const socket = connect({ host, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) });
    const done = (what: string | undefined) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(what);
    };
    const timer = setTimeout(() => done('no answer within a second'), KNOCK);
    socket.on('connect', () => done(undefined));
    socket.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
  });
  if (reason !== undefined) throw unreachable(endpoint, reason);
}

export function unreachable({ shown, flag }: Endpoint, reason: string): ModelError {
  return new ModelError(
    'unreachable',
    `${flag}: no server answers at ${shown} (${reason}); start one (llama-server --port 8080, ollama serve, vllm serve) or correct the address`,
  );
}
