import type { Call, Program } from './call.ts';
import { options, readArguments } from './operands.ts';
import { remoteHost } from './remote.ts';

/**
 * Programs that contact a host of their own, by subcommand. One line a host: the host, then groups of a program and the
 * subcommands that contact it, joined by `:` and `,`; `*` is every subcommand, a leading `,` also the bare program.
 * Hosts are the defaults of the programs as they come; a mirror that some settings name cannot be seen.
 */
const HOSTS = `
npmjs.org npm:install,i,in,add,ci,install-test,it,update,up,upgrade,outdated,publish,view,info,show,search,audit,create,init,login,whoami,dist-tag pnpm:,install,i,add,update,up,upgrade,outdated,publish,dlx,create,audit,fetch,import bun:install,i,add,update,outdated,create,publish bunx:* pnpx:*
yarnpkg.com yarn:,install,add,up,upgrade,upgrade-interactive,outdated,dlx,create,info,publish,npm,global
pypi.org pip:install,download,wheel,index,search uv:add,sync,lock,tool,pip,publish,build uvx:* pipx:install,upgrade,run,inject,upgrade-all poetry:install,add,update,lock,publish pipenv:,install,update,lock,sync pdm:install,add,update,lock,sync,publish hatch:publish rye:sync,add twine:upload easy_install:*
conda.anaconda.org conda:install,create,update,search,env mamba:install,create,update,search,env micromamba:install,create,update,search,env pixi:install,add,update
crates.io cargo:install,binstall,add,update,fetch,publish,search,login,yank,vendor
proxy.golang.org go:get,install,mod
static.rust-lang.org rustup:install,update,toolchain,target,component,self
rubygems.org gem:install,update,fetch,push,search bundle:,install,update,add,outdated,lock bundler:install,update
repo.packagist.org composer:install,update,require,create-project,outdated,search
api.nuget.org nuget:install,restore,push dotnet:restore,add,tool
deb.debian.org apt:install,update,upgrade,full-upgrade,source,download,build-dep apt-get:install,update,upgrade,dist-upgrade,source,download,build-dep aptitude:install,update,upgrade
dl-cdn.alpinelinux.org apk:add,update,upgrade,fetch
mirrors.fedoraproject.org dnf:install,update,upgrade,makecache,search yum:install,update,upgrade,makecache microdnf:install,update
archlinux.org pacman:-S,-Sy,-Syu,-Syyu,-Su yay:*
download.opensuse.org zypper:install,in,update,up,refresh,ref
formulae.brew.sh brew:install,upgrade,update,tap,fetch,reinstall,search,info,bundle,outdated
snapcraft.io snap:install,refresh,find
flathub.org flatpak:install,update
cache.nixos.org nix-env:* nix-shell:* nix:build,develop,shell,run,flake,profile
nodejs.org nvm:install,ls-remote fnm:install,list-remote
python.org pyenv:install
chocolatey.org choco:install,upgrade
jsr.io deno:add,install,outdated
hex.pm mix:deps.get,deps.update,hex.publish
pub.dev flutter:pub dart:pub
cocoapods.org pod:install,update
repo.maven.apache.org mvn:deploy,dependency:resolve,dependency:get,dependency:tree
terraform.io terraform:init,get tofu:init
huggingface.co hf:download,upload,auth,repo huggingface-cli:download,upload,login,repo,whoami
ollama.ai ollama:pull,push
api.github.com gh:*
gitlab.com glab:*
amazonaws.com aws:* eksctl:*
googleapis.com gcloud:* gsutil:* bq:* firebase:deploy
management.azure.com az:* azd:*
vercel.com vercel:*
api.netlify.com netlify:deploy,login,status,sites
api.fly.io fly:* flyctl:*
api.cloudflare.com wrangler:deploy,publish,tail,d1,kv,r2,secret,login,whoami,pages
api.heroku.com heroku:*
api.stripe.com stripe:*
kaggle.com kaggle:*
sentry.io sentry-cli:*
api.digitalocean.com doctl:*
`;

interface Contacts {
  readonly bare: string;
  readonly every: string;
  readonly subcommands: Map<string, string>;
}

const TABLE = tableOf(HOSTS);

function tableOf(text: string): Map<string, Contacts> {
  const table = new Map<string, Contacts>();
  for (const line of text.trim().split('\n')) {
    const [host = '', ...groups] = line.trim().split(' ');
    for (const group of groups) {
      const colon = group.indexOf(':');
      const names = group.slice(colon + 1).split(',');
      table.set(group.slice(0, colon), {
        bare: names[0] === '' ? host : '',
        every: names[0] === '*' ? host : '',
        subcommands: new Map(names.map(name => [name, host])),
      });
    }
  }
  return table;
}

const VALUES = options(`
  -r< --requirement< -c< --constraint< -e: --editable: -i: --index-url: --extra-index-url: --registry: -t: --target: --prefix: -C:
  --filter: --cwd: --git: --index: --source: --find-links: -f: --root: --path: -g: --group: -p: --python: -w: --workspace: -n: --name:
  --profile: --region: --project: --version: --features: --manifest-path: -o: --option: --default-index: --repository: --channel:`);

/** Words that keep a package manager from the network. */
const OFFLINE = new Set(['--offline', '--help', '-h', '--version', '--no-index', '--prefer-offline', '--dry-run']);

const manager: Program = call => {
  const contacts = TABLE.get(call.program) as Contacts;
  let registry = '';
  const urls: string[] = [];
  const files: string[] = [];
  const first = call.args.find(arg => !arg.startsWith('-')) ?? '';
  const subcommand = call.args[0] !== undefined && contacts.subcommands.has(call.args[0]) ? call.args[0] : first;
  const { operands } = readArguments(call.args, VALUES, (name, value, option) => {
    if (
      name === '--registry' ||
      name === '--index-url' ||
      name === '--default-index' ||
      (name === '-i' && value.includes('://'))
    ) {
      registry = value;
    } else if (name === '--git' || name === '--extra-index-url') urls.push(value);
    else if (option.effect) files.push(value);
  });
  const host = contacts.every || (subcommand === '' ? contacts.bare : (contacts.subcommands.get(subcommand) ?? ''));
  if (host === '') return;
  call.touchAll('read', files);
  if (call.args.some(arg => OFFLINE.has(arg))) return;
  // `go install ./cmd` builds what is here; with a version it downloads.
  if (call.program === 'go' && subcommand === 'install' && !call.args.some(arg => arg.includes('@'))) return;
  if (call.program === 'go' && subcommand === 'mod' && !/^(download|tidy|vendor)$/.test(operands[1] ?? '')) return;
  if (call.program === 'uv' && subcommand === 'pip' && !/^(install|sync|compile)$/.test(operands[1] ?? '')) return;
  if (call.program === 'conda' && subcommand === 'env' && !/^(create|update)$/.test(operands[1] ?? '')) return;
  if (call.program === 'dotnet' && subcommand === 'add' && !operands.includes('package')) return;
  if (call.program === 'npm' && subcommand === 'init' && operands.length < 2) return;
  call.contact(registry === '' ? host : registry);
  for (const operand of [...urls, ...operands.slice(1)]) {
    const url = operand.replace(/^[\w.[\],-]+\s*@\s*(?=git\+|https?:)/, '').replace(/^git\+/, '');
    if (url.includes('://')) call.contact(url);
  }
};

const CONTAINER = options('-u: --username: -p: --password: --platform: -f: --filter: --format:');

/** `docker pull` and `push` contact the registry named in the image, without one Docker Hub; a URL to build from its host. */
const container: Program = call => {
  const { operands } = readArguments(call.args, CONTAINER);
  const [name = '', place = ''] = operands[0] === 'image' ? operands.slice(1) : operands;
  if (name === 'pull' || name === 'push') call.contact(imageHost(place));
  else if (name === 'login') call.contact(place === '' ? 'docker.io' : place);
  else if (name === 'search') call.contact('docker.io');
  else if (name === 'build') {
    const file = valueAfter(call, '-f') || valueAfter(call, '--file');
    if (file !== '') call.touch('read', file);
  }
};

function imageHost(image: string): string {
  const head = image.slice(0, Math.max(0, image.indexOf('/')));
  return /[.:]/.test(head) || head === 'localhost' ? head : 'docker.io';
}

function valueAfter(call: Call, flag: string): string {
  const at = call.args.indexOf(flag);
  return at < 0 ? '' : (call.args[at + 1] ?? '');
}

const HELM = options('-n: -f< --values< --version: --set: --repo: --namespace:');

const helm: Program = call => {
  const { operands } = readArguments(call.args, HELM, (name, value, option) => {
    if (option.effect) call.touch(option.effect, value);
    else if (name === '--repo') call.contact(value);
  });
  for (const operand of operands) {
    const host = operand.includes('://') ? remoteHost(operand) : '';
    if (host !== '') call.contact(host);
  }
};

const kubectl: Program = call => {
  for (const flag of ['-f', '--filename', '-k']) {
    const place = valueAfter(call, flag);
    if (place.includes('://')) call.contact(place);
    else if (place !== '') call.touch('read', place);
  }
};

export const PACKAGE_PROGRAMS: ReadonlyMap<string, Program> = new Map<string, Program>([
  ...[...TABLE.keys()].map((name): [string, Program] => [name, manager]),
  ['docker', container],
  ['podman', container],
  ['nerdctl', container],
  ['helm', helm],
  ['kubectl', kubectl],
]);
