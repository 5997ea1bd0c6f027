import { NAMELESS, plainName, programName, secretLike } from './shell/program.ts';

/**
 * The `command` frame of a shell tool call: the program, and the subcommand of programs that are many in one
 * (`git commit`, `npm run build`, `docker compose up`). Never an argument, never a path; few different values.
 *
 * Which command of a line: the first that does more than set the scene (`cd`, `export`, `echo`, `sleep`, tests ...).
 * If there is no other, the first of those. A shell, `sudo`, `timeout`, `xargs` or `python -m` is named by what it
 * runs. A script run by its path is named by its file (`./run.sh` is `run.sh`); what cannot be known is `shell`.
 */
export class CommandChoice {
  /** How many commands were offered. */
  count = 0;
  private first = '';
  private scenery = '';

  get command(): string {
    return this.first || this.scenery || NAMELESS;
  }

  /** Offers a command, program first, in the order of execution. */
  offer(words: readonly string[]): void {
    this.count++;
    if (this.first !== '') return;
    const name = commandName(words);
    if (!SCENERY.has(name)) this.first = name;
    else if (this.scenery === '') this.scenery = name === ':' ? NAMELESS : name;
  }

  /** Takes over what `other` chose where nothing is chosen here yet. */
  merge(other: CommandChoice): void {
    this.first ||= other.first;
    this.scenery ||= other.scenery;
  }
}

const SCENERY = new Set(
  'cd pushd popd export set unset source echo printf sleep true false : [ [[ test local declare readonly typeset shopt trap ulimit umask alias exit return wait read pwd clear let'.split(
    ' ',
  ),
);

/**
 * Programs that are many in one. A line: the program, how many words its subcommand has (1 if not said), options that
 * take a value, and groups `name/` whose members have one more word.
 */
const COMMANDS = new Map(
  `
git -C -c --git-dir --work-tree --namespace stash/- worktree/ submodule/ remote/ bisect/
gh 2 -R --repo api/- browse/-
glab 2 -R --repo api/-
docker -H --context -c --host -f --file -p --project-name --profile --env-file compose/ container/ image/ volume/ network/ system/ buildx/ builder/ context/
docker-compose -f -p --file --project-name --profile
podman compose/ container/ image/ volume/ network/ system/ machine/
nerdctl compose/
kubectl -n --namespace --context --kubeconfig -s config/ rollout/ create/- top/
helm -n --namespace repo/ dependency/
npm --prefix -w --workspace -C run/* run-script/* rum/*
pnpm -C --dir -F --filter run/*
yarn --cwd run/* workspace/-
bun --cwd run/*
deno task/*
composer -d run/* run-script/*
cargo -Z --config -C
go -C mod/ work/ tool/
rustup toolchain/ target/ component/
uv --directory --project pip/ tool/ venv/- python/
pip cache/ config/
poetry -C env/ self/
pipenv
pdm
conda -n env/
mamba env/
apt -o
apt-get -o
aptitude
apk
dnf
yum
zypper
snap
brew services/
gem
bundle
rails
mix
dotnet tool/ nuget/ ef/
nuget
flutter pub/
dart pub/
swift package/
bazel
buck2
nx run/-
turbo run/*
lerna run/*
prisma
terraform -chdir state/ workspace/
tofu state/ workspace/
pulumi stack/ config/
ansible-galaxy collection/ role/
aws 2 --profile --region --output --endpoint-url
az 2
gcloud 2 --project --format
gsutil -o
bq
fly
flyctl
heroku -a --app
vercel
netlify
wrangler d1/ kv/ r2/ pages/
supabase db/ functions/ gen/
firebase
stripe
doctl 2
systemctl
launchctl
service 0
journalctl 0
tmux
adb -s shell/-
ip
nvm
fnm
pyenv
rbenv
mise run/* task/*
asdf plugin/
make -C -f -j -o -W -I --directory --file *
gmake -C -f -j *
just -f -d --justfile *
task -d -t *
rake -f *
gradle -p -b *
gradlew -p -b *
mvn -f -pl -P *
mvnw -f -pl -P *
ninja -C -f -j *
invoke -c *
openssl
svn
hg
jj
claude mcp/ plugin/
codex mcp/
gemini mcp/
ollama
hf
huggingface-cli
vault kv/ auth/
consul kv/
etcdctl
redis-cli 0
node 0
`
    .trim()
    .split('\n')
    .map((line): [string, Multi] => {
      const [name = '', ...marks] = line.split(' ');
      return [
        name,
        {
          words: Number(marks.find(mark => /^\d$/.test(mark)) ?? 1),
          target: marks.includes('*'),
          values: new Set(marks.filter(mark => /^--?\w/.test(mark))),
          groups: new Map(marks.filter(mark => mark.includes('/')).map(mark => groupOf(mark))),
        },
      ];
    }),
);

interface Multi {
  readonly words: number;
  /** The subcommand is a name of the project's own (a target of make). */
  readonly target: boolean;
  readonly values: ReadonlySet<string>;
  readonly groups: ReadonlyMap<string, Group>;
}

/** `member`: one more word of the program's; `name`: one more of the project's (a script); `none`: no further word. */
type Group = 'member' | 'name' | 'none';

function groupOf(mark: string): [string, Group] {
  const at = mark.indexOf('/');
  const tail = mark.slice(at + 1);
  return [mark.slice(0, at), tail === '*' ? 'name' : tail === '-' ? 'none' : 'member'];
}

/** The frame of one command, its program first; wrappers are taken off already. */
export function commandName(words: readonly string[]): string {
  const program = programName(words[0] ?? '');
  if (program === 'node' && words.includes('--test')) return 'node --test';
  const multi = COMMANDS.get(program);
  if (!multi || multi.words === 0) return program;
  let name = program;
  let wanted = multi.words;
  let own = multi.target;
  for (let i = 1; i < words.length && wanted > 0; i++) {
    const word = words[i] as string;
    if (word.startsWith('-')) {
      if (multi.values.has(word)) i++;
      continue;
    }
    if (word.startsWith('+') || (own && word.includes('='))) continue;
    if (!(own ? scriptName(word) : /^[a-z][a-z0-9-]{0,23}$/i.test(word) && !secretLike(word))) break;
    name += ` ${word}`;
    wanted--;
    const group = multi.groups.get(word);
    if (group === 'none') break;
    if (group) {
      wanted = 1;
      own = group === 'name';
    }
  }
  return name;
}

/** A target or script of the project: a short name, with `:` and `/` as task runners allow them inside. */
function scriptName(word: string): boolean {
  return word.length <= 32 && word.split(/[:/]/).every(part => plainName(part)) && !/^[.\d]/.test(word);
}
