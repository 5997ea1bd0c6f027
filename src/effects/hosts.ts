import { domainToASCII, domainToUnicode } from 'node:url';
import { parse } from 'tldts';
import { UNKNOWN } from './shell/syntax.ts';

/** Domains by place, as they come again and again. */
const known = new Map<string, string>();
const REMEMBERED = 10_000;

/**
 * The `domain` frame of a URL, host name or `host:port`: the registrable domain (`github.com`), in its own script for
 * international names. `localhost`, IP addresses and names without a dot are kept whole with their port, because a port
 * is what tells local services apart. '' where there is no host or it is not valid. User names, passwords, paths and
 * subdomains never come through.
 */
export function domainOf(place: string): string {
  const host = hostOf(place);
  if (host === '') return '';
  let domain = known.get(host);
  if (domain === undefined) {
    domain = registrable(host);
    if (known.size >= REMEMBERED) known.clear();
    known.set(host, domain);
  }
  return domain;
}

/** Schemes whose rest names no host (a bucket is none). */
const LOCAL = new Set('file data about javascript blob chrome mailto urn vscode unix s3 gs r2 abfss sqlite'.split(' '));

/** `host` or `host:port` of a place, lower case, without user and path. */
function hostOf(place: string): string {
  let rest = place.trim();
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(rest);
  if (scheme) {
    if (LOCAL.has((scheme[1] as string).toLowerCase())) return '';
    rest = rest.slice(scheme[0].length);
  } else if (/^[a-z]+:(?!\d)/i.test(rest) && LOCAL.has(rest.slice(0, rest.indexOf(':')).toLowerCase())) return '';
  rest = rest.split(/[/?#\\\s]/, 1)[0] as string;
  rest = rest.slice(rest.lastIndexOf('@') + 1);
  // A list of hosts (MongoDB): the first speaks for all.
  return (rest.split(',', 1)[0] as string).toLowerCase();
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
const LABEL = /^(?!-)[\p{L}\p{N}\p{M}_-]{1,63}(?<!-)$/u;

function registrable(host: string): string {
  const bracket = /^\[([0-9a-f:.%\w]+)\](?::(\d{1,5}))?$/.exec(host);
  if (bracket) return `[${(bracket[1] as string).split('%', 1)[0]}]${portOf(bracket[2])}`;
  const parts = /^([^:]+)(?::(.*))?$/.exec(host);
  if (!parts) return /^[0-9a-f]*(:[0-9a-f]*){2,7}$/.test(host) ? `[${host}]` : '';
  const name = (parts[1] as string).replace(/\.$/, '');
  const port = portOf(parts[2]);
  if (IPV4.test(name)) return name + port;
  // An unknown label in front of a known domain (`$TENANT.example.com`) does not matter.
  const plain = name.replace(new RegExp(`[^.]*${UNKNOWN}[^.]*`, 'g'), UNKNOWN_LABEL);
  const labels = plain.split('.');
  if (plain.length > 253 || labels.some(label => !LABEL.test(label)) || /^[\d.]+$/.test(plain)) return '';
  if (labels.length === 1) return plain === UNKNOWN_LABEL ? '' : plain + port;
  if (labels.at(-1) === 'localhost') return `localhost${port}`;
  const ascii = /^[\w.-]+$/.test(plain) ? plain : domainToASCII(plain);
  if (ascii === '') return '';
  const { domain, isIp, isIcann } = parse(ascii, { validateHostname: false });
  if (!domain || isIp || domain.includes(UNKNOWN_LABEL)) return '';
  const shown = domain.includes('xn--') ? domainToUnicode(domain) || domain : domain;
  return isIcann ? shown : shown + port;
}

const UNKNOWN_LABEL = 'unknown--label';

function portOf(text: string | undefined): string {
  return text !== undefined && /^\d{1,5}$/.test(text) && Number(text) <= 65535 ? `:${text}` : '';
}
