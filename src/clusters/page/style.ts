/** Colours of clusters by their number, told apart in lightness too; after the last they begin again. */
const COLOURS = {
  light: ['#2f6fb5', '#d9822b', '#2c8a6b', '#b0417a', '#7a5cc0', '#8a7a1f', '#3aa0b8', '#c0503f', '#5c7a2b', '#8a5a44'],
  dark: ['#6aa9e9', '#f0a657', '#5fc4a0', '#e07fb0', '#ab92ec', '#cbb84f', '#6fd0e4', '#f08a78', '#9cc25f', '#c99a82'],
} as const;

export const COLOUR_COUNT = COLOURS.light.length;

const fills = (ground: keyof typeof COLOURS): string =>
  COLOURS[ground].map((colour, at) => `.c${at}{--c:${colour}}`).join('');

export const STYLE = `:root{color-scheme:light dark;--bg:#fff;--ink:#1f2328;--quiet:#59636e;--line:#d1d9e0;--soft:#f3f5f7;--none:#9aa4ae;--bad:#b42318}
${fills('light')}.none{--c:var(--none)}
@media (prefers-color-scheme:dark){:root{--bg:#15181d;--ink:#e8ecf1;--quiet:#9aa4b0;--line:#3d444d;--soft:#1d2127;--none:#6b7480;--bad:#ff8f80}
${fills('dark')}.none{--c:var(--none)}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:1500px;margin:0 auto;padding:20px 24px 48px}
h1{font-size:22px;margin:0 0 4px}h2{font-size:18px;margin:28px 0 8px}h3{font-size:13px;margin:16px 0 6px;color:var(--quiet);font-weight:600}
.quiet{color:var(--quiet)}ul.notes{margin:6px 0 16px;padding-left:18px;color:var(--quiet)}
.two{display:grid;grid-template-columns:minmax(300px,2fr) 5fr;gap:24px;align-items:start}
@media (max-width:1440px){.two{grid-template-columns:1fr}svg.map{max-width:640px;margin:0 auto}}
svg.map{width:100%;aspect-ratio:1;border:1px solid var(--line);border-radius:8px;background:var(--soft);display:block}
svg.map circle{fill:var(--c);fill-opacity:.8;stroke:none;cursor:pointer}
svg.map circle.failed{stroke:var(--bad);stroke-width:2}
svg.map .dim{opacity:.12}
svg.map text{font-size:17px;font-weight:700;fill:var(--ink);paint-order:stroke;stroke:var(--bg);stroke-width:4px;text-anchor:middle;pointer-events:none}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:5px 8px;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th{font-weight:600;color:var(--quiet);position:sticky;top:0;background:var(--bg)}th button{all:unset;cursor:pointer}th button:focus-visible,tr:focus-visible{outline:2px solid var(--ink);outline-offset:-2px}
th.l,td.l{text-align:left}
tbody tr.pick{cursor:pointer}tbody tr.pick:hover{background:var(--soft)}tr.on{background:var(--soft);box-shadow:inset 3px 0 var(--c)}
.dot{display:inline-block;width:10px;height:10px;border-radius:50%;background:var(--c);margin-right:7px}
.bar{display:inline-block;vertical-align:middle;width:70px;height:10px;margin-left:8px;background:var(--soft);border:1px solid var(--line);position:relative}
.bar i{position:absolute;top:-3px;bottom:-3px;width:3px;margin-left:-1px;background:var(--bad)}.bar b{position:absolute;top:0;bottom:0;background:var(--bad);opacity:.35}
.chips{display:flex;flex-wrap:wrap;gap:6px}.chip{border:1px solid var(--line);border-radius:12px;padding:1px 9px;background:var(--soft)}
.flame{position:relative;width:100%;border-radius:4px;overflow:hidden}
.flame div{position:absolute;height:20px;overflow:hidden;white-space:nowrap;text-overflow:ellipsis;font-size:12px;line-height:19px;padding:0 4px;border:1px solid var(--bg);border-radius:3px;cursor:pointer;color:#1f2328}
.flame div:focus-visible{outline:2px solid var(--ink)}
.k0{background:#cdd7e3}.k1{background:#f4dfaa}.k2{background:#b7d4f1}.k3{background:#addccf}.k4{background:#d2e5ac}.k5{background:#f3c8a6}
@media (prefers-color-scheme:dark){.flame div{color:#e8ecf1}.k0{background:#3d4b5e}.k1{background:#6a5320}.k2{background:#295480}.k3{background:#20604f}.k4{background:#4b6125}.k5{background:#74482b}}
#tip{position:fixed;pointer-events:none;background:var(--ink);color:var(--bg);border-radius:6px;padding:5px 9px;font-size:12px;max-width:420px;z-index:9}
.bad{color:var(--bad)}
.limit{max-height:420px;overflow:auto}`;
