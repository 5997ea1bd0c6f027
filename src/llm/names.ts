import { UsageError } from '../trace/usage-error.ts';
import { AnswerCache } from './cache.ts';
import type { Sender } from './send.ts';
import { ModelError } from './types.ts';

interface Listed {
  readonly name: string;
  readonly llamaCpp: boolean;
}

/** A server that is busy with a long answer lists its models all the same. */
const PATIENCE = 5000;

/**
 * What servers say of their models. The name is part of what kept answers depend on, so the one an address had last is
 * remembered: with it, a run of which all answers are kept needs no server.
 */
export class ModelNames {
  private readonly remembered: AnswerCache;
  private readonly listed = new Map<string, Promise<Listed>>();

  constructor(cacheDirectory: string | undefined) {
    this.remembered = new AnswerCache(cacheDirectory, 'models of addresses');
  }

  /** The only model of a server. Throws UsageError where there are several, ModelError where no server answers. */
  async of(sender: Sender, flag: string): Promise<Listed> {
    const { base } = sender.endpoint;
    try {
      return await this.list(sender, flag);
    } catch (error) {
      const name = this.remembered.get(base);
      if (error instanceof ModelError && typeof name === 'string') return { name, llamaCpp: false };
      throw error;
    }
  }

  /** llama.cpp names itself as the owner of its models. */
  async isLlamaCpp(sender: Sender): Promise<boolean> {
    try {
      return (await this.list(sender, '')).llamaCpp;
    } catch (error) {
      if (error instanceof UsageError || (error instanceof ModelError && error.trouble !== 'unreachable')) return false;
      throw error;
    }
  }

  private list(sender: Sender, flag: string): Promise<Listed> {
    const { base } = sender.endpoint;
    let listed = this.listed.get(base);
    if (!listed) this.listed.set(base, (listed = this.fetch(sender, flag)));
    return listed;
  }

  private async fetch(sender: Sender, flag: string): Promise<Listed> {
    const reply = (await sender.get('/models', PATIENCE)) as { data?: unknown } | null;
    const models = (Array.isArray(reply?.data) ? reply.data : []) as { id?: unknown; owned_by?: unknown }[];
    const names = models.flatMap(({ id }) => (typeof id === 'string' && id !== '' ? [id] : []));
    const [name] = names;
    if (names.length !== 1 || name === undefined) {
      const has = names.length === 0 ? 'names no model' : `has several models (${names.slice(0, 8).join(', ')})`;
      throw new UsageError(`${flag}: ${sender.endpoint.shown} ${has}; name the one to use.`);
    }
    if (this.remembered.get(sender.endpoint.base) !== name) this.remembered.add([[sender.endpoint.base, name]]);
    return { name, llamaCpp: models[0]?.owned_by === 'llamacpp' };
  }
}
