// Tags 100,000 distinct prompts, by rules and by clusters, and tells seconds of CPU and the peak of memory.
//
//   npx esbuild bench/tagging.ts --bundle --platform=node --format=esm --packages=external --outfile=dist/bench-tagging.mjs
//   node dist/bench-tagging.mjs [rules|preset|cluster] [prompts]
import { readFileSync } from 'node:fs';
import { clusterTexts } from '../src/meaning/tagging/cluster.ts';
import { loadTagger } from '../src/meaning/tagging/tagger.ts';
import { readTaggerSources } from '../src/meaning/tagging/tagger-sources.ts';
import { seededRandom } from '../src/meaning/text/hash.ts';
import { redactorFor } from '../src/privacy/redact.ts';

const [what = 'rules', count = '100000'] = process.argv.slice(2);
const sentences = ['preset-prompts.tsv', 'bilingual-prompts.tsv'].flatMap(name =>
  readFileSync(`test/fixtures/meaning/${name}`, 'utf8')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => (line.split('\t')[2] as string).replaceAll('\\n', '\n')),
);
const random = seededRandom(1);
const pick = () => sentences[Math.floor(random() * sentences.length)] as string;
const prompts = Array.from({ length: Number(count) }, (_, at) => `${pick()} ${pick()} ${at}`);

const RULES = [
  'debug=(?i)fix|error|bug|broken|为啥',
  'test=(?i)\\btests?\\b|测试',
  'docs=(?i)readme|changelog|文档',
  'git=(?i)commit|rebase|branch|提交',
  'review=(?i)review|审',
  'plan=(?i)plan|design|方案',
  'ui=(?i)button|css|page|页面',
  'data=(?i)sql|csv|数据',
  'ops=(?i)deploy|docker|部署',
  'config=(?i)config|install|配置',
];
const options = what === 'rules' ? { tagRules: RULES } : { preset: true };
const tagger = what === 'cluster' ? undefined : await loadTagger(await readTaggerSources(options));
const before = process.cpuUsage();
const tagged = tagger
  ? prompts.filter(text => tagger.decide('prompt', text).tag !== '').length
  : clusterTexts(
      prompts.map(text => ({ text, prompts: 1 })),
      redactorFor([]).sayable,
    ).tags.size;
const { user, system } = process.cpuUsage(before);
const megabytes = process.resourceUsage().maxRSS / 1024;
console.log(
  `${what}: ${prompts.length} prompts, ${tagged} tagged, ${((user + system) / 1e6).toFixed(2)} s of CPU, peak ${megabytes.toFixed(0)} MB`,
);
