/** Style and script of the page of a difference. Its colours are those of the explorer and of the picture. */

export const PAGE_STYLE = `
:root{--ground:#fff;--soft:#f6f7f9;--line:#dfe3e8;--ink:#1f2328;--quiet:#59636e;--accent:#2b5c88;--more:#b0381a;--less:#1d6aa5;color-scheme:light}
@media (prefers-color-scheme:dark){:root{--ground:#15181d;--soft:#1d2127;--line:#353c46;--ink:#e8ecf1;--quiet:#9aa4b0;--accent:#8fc1f0;--more:#f4a287;--less:#83bde8;color-scheme:dark}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:13px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans CJK SC","PingFang SC","Microsoft YaHei",Arial,sans-serif;font-variant-numeric:tabular-nums}
main{padding:14px 0 24px}
h1{font-size:17px;font-weight:600;margin:4px 18px 10px;max-width:1100px;line-height:1.35;overflow-wrap:anywhere}
h2{font-size:15px;margin:0;font-weight:600}
section{margin:18px 18px 0}
/* Its lines of text are as long as they are: a narrow window scrolls. */
.picture{overflow-x:auto}
.picture>svg{display:block;max-width:100%;min-width:900px}
.bar{display:flex;gap:16px;align-items:baseline;justify-content:space-between;flex-wrap:wrap;margin-bottom:8px}
.soft{color:var(--quiet);font-weight:400;font-size:13px}
.filter{color:var(--quiet)}
.filter input{font:inherit;color:var(--ink);background:var(--ground);border:1px solid var(--line);border-radius:7px;padding:3px 9px;height:29px;width:240px}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:9px}
table{border-collapse:collapse;width:100%}
th,td{padding:5px 12px;text-align:start;border-bottom:1px solid var(--line);vertical-align:baseline}
tbody tr:last-child td{border-bottom:0}
tbody tr:hover{background:var(--soft)}
th{background:var(--soft);color:var(--quiet);font-weight:600;white-space:nowrap}
.number{text-align:end;white-space:nowrap}
th button{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer}
th button:hover{color:var(--ink);text-decoration:underline}
th[aria-sort=ascending] button::after{content:" \\2191"}
th[aria-sort=descending] button::after{content:" \\2193"}
.path{width:100%;min-width:300px;overflow-wrap:anywhere}
@media (max-width:700px){table,thead,tbody{display:block}tr{display:flex;flex-wrap:wrap;border-bottom:1px solid var(--line)}th,td{border:0;padding:3px 6px}.number{flex:1 0 60px}.path,th:last-child{order:-1;min-width:100%}}
.more td:first-child{color:var(--more);font-weight:600}
.less td:first-child{color:var(--less);font-weight:600}
.noise td{color:var(--quiet)}
:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
.notes{color:var(--quiet)}
.notes h2{color:var(--ink);font-size:13px}
.notes ul{margin:4px 0 0;padding-inline-start:18px;max-width:1000px}
`;

/** Sorting by any column and filtering by words. It moves rows that are there and reads their text, no more. */
export const PAGE_SCRIPT = `
(() => {
'use strict';
const table = document.querySelector('table');
if (table === null) return;
const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells], rows = [...body.rows];
const keys = rows.map(row => [...row.cells].map(cell => cell.hasAttribute('data-v') ? cell.getAttribute('data-v') === '' ? -Infinity : Number(cell.getAttribute('data-v')) : cell.textContent));
const order = rows.map((_, i) => i);
heads.forEach((head, column) => {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = head.textContent;
  head.textContent = '';
  head.append(button);
  button.addEventListener('click', () => {
    const up = head.getAttribute('aria-sort') === 'descending' || (head.getAttribute('aria-sort') === null && !head.classList.contains('number'));
    heads.forEach(each => each.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    order.sort((x, y) => {
      const a = keys[x][column], b = keys[y][column];
      const way = a < b ? -1 : a > b ? 1 : 0;
      return (up ? way : -way) || x - y;
    });
    body.append(...order.map(i => rows[i]));
  });
});
const filter = document.getElementById('filter');
filter.addEventListener('input', () => {
  const words = filter.value.toLowerCase().split(/\\s+/).filter(word => word !== '');
  rows.forEach(row => {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every(word => text.includes(word));
  });
});
})();
`;
