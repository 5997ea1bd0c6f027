/**
 * Whose host a model call contacts, by how the model's id is written. The first rule that fits wins; hosts are shown
 * as domain frames. Gateways, clouds and local servers name themselves in front of the model's own name.
 */
const PREFIXES: readonly (readonly [RegExp, string])[] = [
  [/^openrouter\//, 'openrouter.ai'],
  [
    /^(?:(?:global|us|eu|apac|jp|au|us-gov)\.)?(?:anthropic|amazon|meta|mistral|cohere|deepseek|openai|qwen|moonshot)\.|^bedrock\/|^arn:aws/,
    'amazonaws.com',
  ],
  [/^azure(?:_ai)?\//, 'azure.com'],
  [/^vertex(?:_ai)?\/|@\d{8}$/, 'googleapis.com'],
  [/^(?:github[_-]copilot|copilot)\//, 'githubcopilot.com'],
  [/^groq\//, 'groq.com'],
  [/^together(?:_ai)?\//, 'together.xyz'],
  [/^fireworks(?:_ai)?\/|^accounts\/fireworks/, 'fireworks.ai'],
  [/^cerebras\//, 'cerebras.ai'],
  [/^(?:ollama|lmstudio|local)\//, 'localhost'],
];

const MODELS: readonly (readonly [RegExp, string])[] = [
  [/^(?:claude|anthropic|haiku|sonnet|opus)/, 'anthropic.com'],
  [/^(?:gpt|chatgpt|o\d|codex|openai|text-davinci|computer-use)/, 'openai.com'],
  [/^(?:gemini|gemma|google|learnlm|imagen|palm)/, 'googleapis.com'],
  [/^(?:qwen|qwq|qvq|alibaba|dashscope)/, 'aliyuncs.com'],
  [/^deepseek/, 'deepseek.com'],
  [/^(?:kimi|moonshot)/, 'moonshot.ai'],
  [/^(?:glm|zai|z-ai|zhipu)/, 'z.ai'],
  [/^(?:grok|xai|x-ai)/, 'x.ai'],
  [/^(?:mistral|codestral|devstral|magistral|ministral|pixtral)/, 'mistral.ai'],
  [/^minimax/, 'minimax.io'],
  [/^(?:command-|cohere)/, 'cohere.com'],
  [/^(?:amazon|nova-)/, 'amazonaws.com'],
  [/^(?:step-|stepfun)/, 'stepfun.com'],
  [/^(?:doubao|seed-)/, 'volces.com'],
  [/^(?:hunyuan)/, 'tencent.com'],
  [/^(?:ernie)/, 'baidubce.com'],
  [/^(?:sonar|pplx)/, 'perplexity.ai'],
];

/** Agents that send every call to a service of their own, whatever the model. */
const OWN_SERVICE: ReadonlyMap<string, string> = new Map([
  ['copilot-cli', 'githubcopilot.com'],
  ['cursor', 'cursor.sh'],
  ['amp', 'ampcode.com'],
  ['droid', 'factory.ai'],
]);

/** The provider an agent belongs to, for calls and searches whose model nobody wrote down. */
const HOME: ReadonlyMap<string, string> = new Map([
  ['claude-code', 'anthropic.com'],
  ['codex', 'openai.com'],
  ['gemini-cli', 'googleapis.com'],
  ['antigravity', 'googleapis.com'],
  ['qwen-code', 'aliyuncs.com'],
  ['kimi', 'moonshot.ai'],
  ['grok', 'x.ai'],
]);

/**
 * The domain a model call contacts; '' where it cannot be told from the model's id and the agent. Rows an agent made
 * up itself (`<synthetic>`) contact nobody.
 */
export function providerDomain(model: string, agent: string): string {
  if (model.startsWith('<')) return '';
  const own = OWN_SERVICE.get(agent);
  if (own !== undefined) return own;
  if (model === '') return HOME.get(agent) ?? '';
  const id = model.toLowerCase();
  for (const [pattern, domain] of PREFIXES) if (pattern.test(id)) return domain;
  const name = id.slice(id.lastIndexOf('/') + 1);
  for (const [pattern, domain] of MODELS) if (pattern.test(id) || pattern.test(name)) return domain;
  return '';
}

/** The domain of a web search by an agent's own tool: its provider searches. */
export function searchDomain(agent: string, model: string): string {
  return HOME.get(agent) ?? providerDomain(model, agent);
}
