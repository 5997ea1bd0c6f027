import { statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { UsageError } from '../../trace/usage-error.ts';
import { type Matrix, matrixOf } from '../matrix.ts';

/** What is used of the optional peer `@huggingface/transformers`. */
interface Transformers {
  readonly env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string };
  pipeline(
    task: 'feature-extraction',
    model: string,
    options: { local_files_only: boolean },
  ): Promise<(texts: string[], options: { pooling: 'mean'; normalize: boolean }) => Promise<{ tolist(): number[][] }>>;
}

const PEER = '@huggingface/transformers';
const AT_ONCE = 16;

/**
 * Vectors of a model whose files lie in `directory` (config.json, tokenizer.json, onnx/), through a package that people
 * install themselves. Nothing is ever fetched. Throws UsageError that says what is missing.
 */
export async function localEmbedding(
  directory: string,
  texts: readonly string[],
  progress: (done: number, all: number) => void = () => {},
  load: () => Promise<unknown> = () => import(PEER),
): Promise<Matrix> {
  const path = resolve(directory);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(
      `--embed-model-dir: there is no directory ${directory}; name the folder that holds config.json and onnx/.`,
    );
  const { env, pipeline } = await loaded(load);
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  env.localModelPath = dirname(path);
  let extract: Awaited<ReturnType<Transformers['pipeline']>>;
  try {
    extract = await pipeline('feature-extraction', basename(path), { local_files_only: true });
  } catch (error) {
    throw new UsageError(
      `--embed-model-dir: ${PEER} cannot load a model from ${directory}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`,
    );
  }
  const vectors: number[][] = [];
  for (let from = 0; from < texts.length; from += AT_ONCE) {
    const batch = texts.slice(from, from + AT_ONCE).map(text => (text.trim() === '' ? ' ' : text));
    vectors.push(...(await extract(batch, { pooling: 'mean', normalize: true })).tolist());
    progress(vectors.length, texts.length);
  }
  return matrixOf(vectors);
}

async function loaded(load: () => Promise<unknown>): Promise<Transformers> {
  try {
    return (await load()) as Transformers;
  } catch {
    throw new UsageError(
      `--embed-model-dir: needs the package ${PEER}, which is not installed. Install it beside agentpprof (npm install ${PEER}), or leave the flag out: vectors without a model are the default.`,
    );
  }
}
