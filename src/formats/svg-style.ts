/** Colours and faces of the flame graph. Plain hex in classes: viewers that are not browsers know no newer notation. */

/** Base tint on a light and on a dark ground; text keeps a contrast of at least 4.5 on every shade of either. */
interface Family {
  readonly name: string;
  readonly light: string;
  readonly dark: string;
  readonly kinds: readonly string[];
}

/**
 * One quiet hue for each question a frame answers. Neighbours in the usual stacks differ in lightness as well as in
 * hue, and every box with room says its kind, so nothing hangs on colour vision.
 */
const FAMILIES: readonly Family[] = [
  {
    name: 'who',
    light: '#cdd7e3',
    dark: '#3d4b5e',
    kinds: ['agent', 'session', 'project', 'branch', 'all'],
  },
  { name: 'why', light: '#f4dfaa', dark: '#6a5320', kinds: ['prompt', 'turn', 'tag'] },
  { name: 'task', light: '#f3c8a6', dark: '#74482b', kinds: ['task', 'phase', 'segment', 'subagent', 'cluster'] },
  { name: 'call', light: '#b7d4f1', dark: '#295480', kinds: ['call', 'op', 'action'] },
  { name: 'model', light: '#d8cbf0', dark: '#54468a', kinds: ['model', 'agent_version', 'skill', 'mcp_server'] },
  { name: 'tool', light: '#addccf', dark: '#20604f', kinds: ['tool'] },
  { name: 'command', light: '#d2e5ac', dark: '#4b6125', kinds: ['command', 'process'] },
  { name: 'token', light: '#f0c9da', dark: '#7a3d5c', kinds: ['token', 'effect', 'repeat'] },
  { name: 'place', light: '#abdbe9', dark: '#1f5d70', kinds: ['file', 'domain', 'cwd'] },
  { name: 'fault', light: '#f2bbb1', dark: '#843b31', kinds: ['error', 'status', 'unsafe'] },
  { name: 'time', light: '#e3dccb', dark: '#57513f', kinds: ['day', 'week', 'month'] },
];

/** Kinds of a user's own files take one of these by their name. */
const OWN_KINDS = ['task', 'call', 'tool', 'model', 'command', 'place', 'token', 'why'] as const;

const SHADES = 3;

/**
 * Red grew, blue shrank: told apart with every kind of colour vision, since they lie on both sides of what each of
 * them confuses, and grey is neither. Steps by how one-sided the change is; `new` and `gone` are on one side only.
 */
const CHANGE = {
  more: { light: ['#fbe1d8', '#f6b9a4', '#ee9074'], dark: ['#573f39', '#824634', '#964229'] },
  less: { light: ['#d7e6f2', '#a5cbe6', '#6dabd8'], dark: ['#33475a', '#2b5c88', '#1f69a5'] },
  new: { light: ['#e76f51', '#e4e4e1'], dark: ['#a83d1f', '#494b4f'] },
  gone: { light: ['#eff5fa', '#f7f7f5'], dark: ['#1c2733', '#202327'] },
  even: { light: ['#e4e4e1'], dark: ['#494b4f'] },
} as const;
/** What is gone is a ghost: an outline without a body. Within noise what is new or gone is so in grey. */
const OUTLINES: Readonly<Record<string, { readonly light: string; readonly dark: string; readonly dash: string }>> = {
  'gone-0': { light: '#3f83bb', dark: '#5c9fd8', dash: '3 2' },
  'gone-1': { light: '#a3a59f', dark: '#777b82', dash: '3 2' },
  'new-1': { light: '#a3a59f', dark: '#777b82', dash: 'none' },
};
const CHANGE_STEPS = 3;

/** Class of a box's colour: the family of its kind, and a shade by its value, so that neighbours differ a little. */
export function kindClass(kind: string, value: string): string {
  return `${familyOf(kind)}-${hash(value) % SHADES}`;
}

/** Class of the colour that stands for a kind as a whole. */
export function kindSwatch(kind: string): string {
  return `${familyOf(kind)}-0`;
}

/** Class of a box in a difference: which way its net value goes, and how much of what moved below it went that way. */
export function changeClass(net: bigint, weight: bigint): string {
  if (net === 0n) return 'even-0';
  const size = net < 0n ? -net : net;
  const step = Number((size * BigInt(CHANGE_STEPS) - 1n) / weight);
  return `${net > 0n ? 'more' : 'less'}-${Math.min(Math.max(step, 0), CHANGE_STEPS - 1)}`;
}

/** Classes of what only one of two sides has, and of what did not change beyond noise. */
export const ONLY_AFTER = 'new-0';
export const ONLY_BEFORE = 'gone-0';
export const NOISE = 'even-0';
export const NOISE_AFTER = 'new-1';
export const NOISE_BEFORE = 'gone-1';

/** Parts of a frame's larger side from which on a change takes the next stronger colour. */
const STRONGER: readonly number[] = [0.1, 0.4];

/** Class of a frame that both sides have: the way of its change, and how much of the larger side that is. */
export function relativeClass(change: bigint, larger: bigint): string {
  const size = Number(change < 0n ? -change : change) / Math.max(Number(larger), 1);
  const step = STRONGER.filter(least => size >= least).length;
  return `${change > 0n ? 'more' : 'less'}-${step}`;
}

/** The style sheet, with the classes that are used and no others. */
export function styleSheet(used: ReadonlySet<string>): string {
  const classes = [...used].sort();
  const fills = (ground: 'light' | 'dark') =>
    classes
      .map(name => {
        const outline = OUTLINES[name];
        if (outline === undefined) return `.${name}{fill:${fillOf(name, ground)}}`;
        return `rect.${name}{fill:${fillOf(name, ground)};stroke:${outline[ground]};stroke-dasharray:${outline.dash}}`;
      })
      .join('\n');
  return `svg{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
.bg{fill:#fff}
svg:root{background:#fff}
text{fill:#1f2328;font-size:12px}
.total{font-size:20px;font-weight:600}
.quiet,.quiet text{fill:#59636e}
.kind,.said{fill-opacity:.75}
.f{overflow:hidden}
.f text{pointer-events:none;white-space:pre}
.f rect{stroke:#fff}
.f rect.thin{stroke:none}
.live .f{cursor:pointer;outline:none}
.live .f:hover rect,.live .f:focus-visible rect{stroke:#1f2328;stroke-width:2}
.live .up{opacity:.65}
.seek .f:not(.hit){opacity:.42}
.seek .hit rect{fill:#ffb224}
.seek .hit text{fill:#1f2328}
.link{cursor:pointer}
.link:hover{text-decoration:underline}
#tip{pointer-events:none}
#tip rect{fill:#1f2328;fill-opacity:.95}
#tip text{fill:#fff}
#seek{font:12px system-ui,sans-serif;width:100%;height:26px;box-sizing:border-box;padding:0 8px;border:1px solid #d1d9e0;border-radius:6px;background:#fff;color:#1f2328}
${fills('light')}
@media (prefers-color-scheme:dark){
.bg{fill:#15181d}
svg:root{background:#15181d}
text{fill:#e8ecf1}
.quiet,.quiet text{fill:#9aa4b0}
.f rect{stroke:#15181d}
.live .f:hover rect,.live .f:focus-visible rect{stroke:#e8ecf1}
#tip rect{fill:#e8ecf1}
#tip text{fill:#1f2328}
#seek{border-color:#3d444d;background:#1d2127;color:#e8ecf1}
${fills('dark')}
}`;
}

/** Fill of a colour class, for the style sheet and for checks of contrast. */
export function fillOf(name: string, ground: 'light' | 'dark'): string {
  const cut = name.lastIndexOf('-');
  const group = name.slice(0, cut);
  const step = Number(name.slice(cut + 1));
  if (group in CHANGE) return CHANGE[group as keyof typeof CHANGE][ground][step]!;
  const family = FAMILIES.find(f => f.name === group)!;
  const base = family[ground];
  if (step === 0) return base;
  return step === 1
    ? mixed(base, '#ffffff', ground === 'light' ? 0.28 : 0.06)
    : mixed(base, '#000000', ground === 'light' ? 0.06 : 0.14);
}

/** Every colour class there can be. */
export function allColourClasses(): string[] {
  const kinds = FAMILIES.flatMap(f => Array.from({ length: SHADES }, (_, shade) => `${f.name}-${shade}`));
  const changes = Object.entries(CHANGE).flatMap(([group, { light }]) => light.map((_, step) => `${group}-${step}`));
  return [...kinds, ...changes];
}

function familyOf(kind: string): string {
  const family = FAMILIES.find(f => f.kinds.includes(kind));
  return family?.name ?? OWN_KINDS[hash(kind) % OWN_KINDS.length]!;
}

function mixed(base: string, other: string, share: number): string {
  let out = '#';
  for (let i = 1; i < 7; i += 2) {
    const from = Number.parseInt(base.slice(i, i + 2), 16);
    const to = Number.parseInt(other.slice(i, i + 2), 16);
    out += Math.round(from + (to - from) * share)
      .toString(16)
      .padStart(2, '0');
  }
  return out;
}

/** FNV-1a over UTF-16 units. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return (h ^ (h >>> 15)) >>> 0;
}
