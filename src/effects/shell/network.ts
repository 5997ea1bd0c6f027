import type { Call, Program } from './call.ts';
import { hasFlag, type Option, options, readArguments } from './operands.ts';
import { lastPart } from './program.ts';
import { remoteHost } from './remote.ts';
import { UNKNOWN } from './syntax.ts';

const CURL = options(`
  -o> --output> --output-dir: -d: --data: --data-raw: --data-binary: --data-urlencode: --json: -H: --header: -X: --request:
  -u: --user: -A: --user-agent: -e: --referer: -b: --cookie: -c> --cookie-jar> -T< --upload-file< -F: --form: -x: --proxy:
  -w: --write-out: -m: --max-time: --connect-timeout: --retry: --retry-delay: --retry-max-time: --url: -K< --config< -r: --range:
  -D> --dump-header> --cacert< --cert< -E< --key< --resolve: --limit-rate: -y: -Y: -z: -C: --interface: --oauth2-bearer:
  --unix-socket: --connect-to: --max-redirs: --ciphers: -t: -P: -Q: --stderr> --trace> --trace-ascii> --proto: --tls-max:
  --aws-sigv4: --form-string: --noproxy: --dns-servers: --socks5: --socks5-hostname: --etag-save> --etag-compare<`);

const curl: Program = call => {
  const urls: string[] = [];
  const found = readArguments(call.args, CURL, (name, value, option) => {
    if (option.effect) call.touch(option.effect, value);
    else if (name === '--url') urls.push(value);
    else if (/^(-d|--data|--data-binary|--json)$/.test(name) && value.startsWith('@'))
      call.touch('read', value.slice(1));
    else if (name === '-F' || name === '--form') {
      const file = /^[^=]+=[@<]([^;]+)/.exec(value)?.[1];
      if (file) call.touch('read', file);
    } else if ((name === '-b' || name === '--cookie') && value !== '' && !value.includes('='))
      call.touch('read', value);
  });
  urls.push(...found.operands);
  const keepsName = call.args.some(
    arg => arg === '--remote-name' || arg === '--remote-name-all' || /^-[a-zA-Z]*O/.test(arg),
  );
  for (const url of urls) {
    call.contact(url);
    if (keepsName) downloads(call, url, '');
  }
};

const WGET = options(`
  -O> --output-document> -P: --directory-prefix: -o> --output-file> -a> -i< --input-file< -e: -t: --tries: -T: --timeout: -U:
  --user-agent: --header: --user: --password: --post-data: --post-file< --load-cookies< --save-cookies> -Q: -D: -A: -R: -X: -I:
  -l: --level: -w: --wait: --ca-certificate< --certificate< --private-key< --method: --body-data: --body-file< --referer:`);

const wget: Program = call => {
  let folder = '';
  let named = false;
  const { operands } = readArguments(call.args, WGET, (name, value, option) => {
    if (name === '-P' || name === '--directory-prefix') folder = value;
    if (name === '-O' || name === '--output-document') named = true;
    if (option.effect) call.touch(option.effect, value);
  });
  const keeps = named || hasFlag(call.args, 'rm', '--recursive', '--mirror', '--spider');
  for (const url of operands) {
    call.contact(url);
    if (!keeps) downloads(call, url, folder);
  }
};

/** The file a URL is saved as by its own name; a query would become part of it in ways that differ. */
function downloads(call: Call, url: string, folder: string): void {
  const path = /^(?:\w+:\/\/)?[^/?#]+\/([^?#]*)(.*)$/.exec(url);
  const name = lastPart(path?.[1] ?? '');
  if (name === '' || path?.[2] !== '' || path[1]?.endsWith('/')) return;
  call.touch('write', folder === '' ? name : `${folder.replace(/\/+$/, '')}/${name}`);
}

const SSH = options('-p: -i< -o: -L: -R: -D: -l: -F< -J: -b: -c: -m: -E> -W: -w: -e: -S: -Q: -O: -I: -B: -P:');

const ssh: Program = call => {
  const [host = ''] = readArguments(call.args, SSH, (_, value, option) => {
    if (option.effect) call.touch(option.effect, value);
  }).operands;
  call.contact(host);
};

const SCP = options('-P: -i< -o: -F< -l: -c: -S: -J: -D: -X:');
const RSYNC = options(
  '-e: -f: -B: -T: -M: --rsh: --exclude: --include: --exclude-from< --include-from< --files-from< --filter: --log-file> --password-file< --bwlimit: --port: --timeout: --max-size: --min-size: --backup-dir: --suffix: --chmod: --chown: --rsync-path: --compare-dest: --copy-dest: --link-dest: --partial-dir:',
);

const copies =
  (known: ReadonlyMap<string, Option>): Program =>
  call => {
    const { operands } = readArguments(call.args, known, (_, value, option) => {
      if (option.effect) call.touch(option.effect, value);
    });
    operands.forEach((place, index) => {
      const host = remoteHost(place);
      if (host !== '') call.contact(host);
      else call.touch(index > 0 && index === operands.length - 1 ? 'write' : 'read', place);
    });
  };

/** Programs that contact every URL or host among their operands (and of `-h`/`--host` where that is a host). */
const URLS = options('-c: -n: -t: -d: -o> -O> -H: -X: -f: -q: -b: --header: --method: --timeout: -m: -U: -p: -T: -C:');

const urls: Program = call => {
  for (const operand of readArguments(call.args, URLS, (_, value, option) => {
    if (option.effect) call.touch(option.effect, value);
  }).operands) {
    if (
      /^[a-z][a-z0-9+.-]*:\/\//i.test(operand) ||
      /^[\w.-]+\.[a-z]{2,}(:\d+)?(\/|$)/i.test(operand) ||
      /^:\d+/.test(operand)
    ) {
      call.contact(operand.startsWith(':') ? `localhost${operand}` : operand);
    }
  }
};

const DATABASE = options(
  '-h: --host: -p: --port: -U: -u: -d: -c: -e: -f< -o> -a: -n: -D: -P: -t: -F: -E: -w: -q: --user: --username: --dbname: --database: --command: --execute: --file< --eval: --password: --pass:',
);

/** Clients of databases: `-h HOST -p PORT`, or a URL. A `-p` with a word glued to it is a password of MySQL. */
const database: Program = call => {
  let host = '';
  let port = '';
  const { operands } = readArguments(call.args, DATABASE, (name, value, option) => {
    if (name === '-h' || name === '--host') host = value;
    else if (name === '--port' || ((name === '-p' || name === '-P') && /^\d{2,5}$/.test(value))) port = value;
    else if (option.effect) call.touch(option.effect, value);
  });
  if (host.startsWith('/')) return;
  if (host !== '') call.contact(port === '' || host.includes(UNKNOWN) ? host : `${host}:${port}`);
  for (const operand of operands) if (/^[a-z][a-z0-9+.-]*:\/\//.test(operand)) call.contact(operand);
};

const PING = options('-c: -i: -W: -w: -s: -t: -I: -m: -p: -q: -f: -M: -Q: -l: -k: -e: -S: -D: -P: -U: -F:');

/** The first operand is a host, for `nc` and `telnet` the second its port. */
const host: Program = call => {
  const [name = '', port = ''] = readArguments(call.args, PING).operands;
  const ported = (call.program === 'nc' || call.program === 'ncat' || call.program === 'telnet') && /^\d+$/.test(port);
  if (name !== '' && !name.startsWith('/')) call.contact(ported ? `${name}:${port}` : name);
};

const openssl: Program = call => {
  const at = call.args.indexOf('-connect');
  if (call.args[0] === 's_client' && at > 0) call.contact(call.args[at + 1] ?? '');
  for (let i = 0; i < call.args.length - 1; i++) {
    const file = call.args[i + 1] as string;
    if (/^-(in|key|inkey|CAfile|CA|CAkey|config|cert)$/.test(call.args[i] as string)) call.touch('read', file);
    else if (/^-(out|keyout)$/.test(call.args[i] as string)) call.touch('write', file);
  }
};

const sshKeygen: Program = call => {
  const at = call.args.indexOf('-f');
  const reads = call.args.some(arg => /^-[lyRFeHp]$/.test(arg));
  if (at >= 0) call.touch(reads ? 'read' : 'create', call.args[at + 1] ?? '');
};

const group = (names: string, program: Program): [string, Program][] => names.split(' ').map(name => [name, program]);

export const NETWORK_PROGRAMS: ReadonlyMap<string, Program> = new Map<string, Program>([
  ['curl', curl],
  ['wget', wget],
  ...group('ssh autossh mosh sftp ssh-copy-id', ssh),
  ['scp', copies(SCP)],
  ['rsync', copies(RSYNC)],
  ...group('http https xh aria2c axel yt-dlp youtube-dl ab wrk hey siege lynx w3m links websocat wscat grpcurl', urls),
  ...group(
    'psql pg_dump pg_restore pg_isready createdb dropdb mysql mysqldump mariadb redis-cli mongosh mongo mongodump clickhouse-client',
    database,
  ),
  ...group('ping ping6 traceroute tracepath mtr nc ncat telnet nmap', host),
  ['openssl', openssl],
  ['ssh-keygen', sshKeygen],
]);
