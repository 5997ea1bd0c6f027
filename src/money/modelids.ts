/**
 * Model ids as agents, gateways and clouds spell them, turned into the names a price list may know.
 *
 * The same model is `claude-sonnet-4-5-20250929` at its maker, `us.anthropic.claude-sonnet-4-5-20250929-v1:0` on Bedrock,
 * `claude-sonnet-4-5@20250929` on Vertex, `anthropic/claude-sonnet-4.5` on OpenRouter, and `claude-sonnet-4-5[1m]` in
 * Claude Code when the long context is on. Who sold the call matters too: Bedrock's regional endpoints cost more.
 */
export interface Candidate {
  readonly id: string;
  /** Id of a provider in the price library; absent = let the library tell it from the name. */
  readonly provider?: string;
}

/** Names of providers in prefixes and in histories, to those of the price library. */
const PROVIDERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    anthropic: 'anthropic',
    openai: 'openai',
    'openai-codex': 'openai',
    google: 'google',
    gemini: 'google',
    'google-vertex': 'google',
    'google-vertex-anthropic': 'google',
    'gcp.gemini': 'google',
    'gcp.vertex_ai': 'google',
    vertex: 'google',
    vertex_ai: 'google',
    bedrock: 'aws',
    bedrock_converse: 'aws',
    'amazon-bedrock': 'aws',
    'aws.bedrock': 'aws',
    aws: 'aws',
    amazon: 'aws',
    azure: 'azure',
    azure_ai: 'azure',
    'azure-openai': 'azure',
    'azure.ai.openai': 'azure',
    'azure.ai.inference': 'azure',
    openrouter: 'openrouter',
    'x-ai': 'x-ai',
    x_ai: 'x-ai',
    xai: 'x-ai',
    deepseek: 'deepseek',
    moonshot: 'moonshotai',
    moonshotai: 'moonshotai',
    mistral: 'mistral',
    mistral_ai: 'mistral',
    mistralai: 'mistral',
    minimax: 'minimax',
    zai: 'zai',
    'z-ai': 'zai',
    zhipuai: 'zhipuai',
    cohere: 'cohere',
    groq: 'groq',
    cerebras: 'cerebras',
    perplexity: 'perplexity',
    novita: 'novita',
    together: 'together',
    togetherai: 'together',
    together_ai: 'together',
    fireworks: 'fireworks',
    fireworks_ai: 'fireworks',
    'fireworks-ai': 'fireworks',
    cloudflare: 'cloudflare',
    baseten: 'baseten',
  }),
);

/** Models that run on the user's own machines: no price list may answer for them, however famous the name. */
const LOCAL = new Set([
  'ollama',
  'ollama_chat',
  'lmstudio',
  'lm-studio',
  'llamacpp',
  'llama.cpp',
  'llama-cpp',
  'vllm',
  'local',
  'mlx',
]);
/** Tags of local registries: `qwen3-coder:30b`, `llama3:latest`. */
const LOCAL_TAG = /:(?:[0-9.]+[bm](?:-[a-z0-9_.-]+)?|latest)$/i;
/** `us.anthropic.claude-...`, `anthropic.claude-...`, `global.openai.gpt-...`; the second group is the maker's own name. */
const BEDROCK =
  /^(?:(?:us|us-gov|eu|apac|ap|jp|au|ca|sa|me|af|il|global)\.)?(?:anthropic|amazon|meta|mistral|deepseek|openai|qwen|cohere|ai21|google|nvidia|minimax|moonshot|zai|writer)\.(.+)$/i;
const BEDROCK_VERSION = /-v\d+(?::\d+)?(?::\d+k)?$/i;

const CONTEXT_MARK = /\[[^\]]*\]$/;
const RELEASE = /(?:-latest|[-@]20\d{6}|-20\d{2}-[01]\d-[0-3]\d)$/i;
const EFFORT = /^((?:gpt|claude|gemini|grok|o\d).*)-(?:minimal|low|medium|high|xhigh|thinking)$/i;
/** Cursor and others put the family last: `claude-4.5-sonnet`. */
const FAMILY_LAST = /^claude-(\d+(?:[.-]\d+)?)-(opus|sonnet|haiku)(.*)$/i;

/**
 * The spellings to ask the price library for, best first; none for models known to run locally. `provider` is what
 * the history says about who served the call ("anthropic", "aws.bedrock"), in any spelling.
 */
export function candidates(model: string, provider = ''): Candidate[] {
  const hint = provider.trim().toLowerCase();
  const found = new Map<string, Candidate>();
  const add = (id: string, at?: string): void => {
    if (id !== '') found.set(`${at ?? ''} ${id.toLowerCase()}`, at === undefined ? { id } : { id, provider: at });
  };
  if (LOCAL.has(hint)) return [];
  return spell(model.trim().replace(CONTEXT_MARK, ''), PROVIDERS.get(hint), add) ? [...found.values()] : [];
}

type Add = (id: string, provider?: string) => void;

/** False if a prefix tells that the model runs locally. */
function spell(id: string, provider: string | undefined, add: Add): boolean {
  const resource = /^arn:aws[^/]*\/(?:.*\/)?([^/]+)$/i.exec(id);
  if (resource) return spell(resource[1] as string, 'aws', add);
  if (provider !== undefined) add(id, provider);
  else if (id.includes('/')) add(id);
  const models = /(?:^|\/)models\/([^/]+)$/.exec(id);
  if (models) return spell(models[1] as string, provider, add);
  const split = /^([^/:]+)([/:])(.+)$/.exec(id);
  if (split) {
    const [, prefix = '', mark, rest = ''] = split;
    const name = prefix.toLowerCase();
    const seller = PROVIDERS.get(name);
    if (LOCAL.has(name)) return false;
    if (mark === '/' || seller !== undefined) {
      // A gateway sells under the maker's prefix; the maker's own list is the second best answer.
      const gateway = provider === 'openrouter' ? provider : seller;
      if (gateway === 'openrouter' && provider === gateway)
        for (const form of forms(rest)) add(`${prefix}/${form}`, gateway);
      if (!spell(rest, gateway, add)) return false;
      return gateway === undefined ? true : spell(rest, undefined, add);
    }
  }
  return leaf(id, provider, add);
}

function leaf(id: string, provider: string | undefined, add: Add): boolean {
  if (LOCAL_TAG.test(id) && !BEDROCK.test(id)) return false;
  const bedrock = BEDROCK.exec(id);
  if (bedrock) {
    add(id, 'aws');
    for (const form of forms((bedrock[1] as string).replace(BEDROCK_VERSION, ''))) add(form);
    return true;
  }
  for (const form of forms(id)) {
    add(form, provider);
  }
  return true;
}

/** Spellings of a bare name: as it is, then with ever less of what does not change the price. */
function forms(id: string): string[] {
  const list = [id, id.replace('@', '-')];
  const bare = id.replace(/:[a-z]+$/i, '').replace(RELEASE, '');
  list.push(bare);
  const effort = EFFORT.exec(bare);
  if (effort) list.push(effort[1] as string);
  for (const name of [...list]) {
    const family = FAMILY_LAST.exec(name);
    if (family) list.push(`claude-${family[2]}-${family[1]}${family[3]}`);
  }
  for (const name of [...list]) list.push(name.replace(/-(\d)-(\d{1,2})(?=-|$)/, '-$1.$2'));
  return [...new Set(list)];
}

/** True for variants a gateway gives away (`deepseek/deepseek-chat:free`). */
export function isFreeVariant(model: string): boolean {
  return /[^:]:free$/i.test(model.trim());
}

/**
 * The name of a model as reports may show it: resource names lose the account number and the project
 * (`arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic...` gives the last part).
 */
export function shownModel(model: string): string {
  if (model === '') return 'unknown';
  return /^(?:arn:|projects\/|https?:)/i.test(model) ? (model.split('/').pop() as string) : model;
}
