import { createHash } from 'node:crypto';
import { counted } from '../../trace/counted.ts';
import type { PageContent } from './content.ts';
import { SCRIPT } from './script.ts';
import { COLOUR_COUNT, STYLE } from './style.ts';

/**
 * One file that opens without a network: map, table, and each cluster with its sessions and its flame graph. The policy
 * allows this script and no connection at all; places are set by the script as properties, so no style attribute is
 * needed. Equal content gives equal bytes.
 */
export function clusterPage(content: PageContent): string {
  const { report } = content;
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${sha256(SCRIPT)}'`,
    `style-src 'sha256-${sha256(STYLE)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const found = report.clusters.filter(({ id }) => id > 0).length;
  const title = `${counted(found, 'cluster')} of ${counted(report.units, report.unit)}`;
  // Inside a script element only its end tag is markup.
  const data = JSON.stringify({ ...content, colours: COLOUR_COUNT }).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title} · agentpprof</title>
<style>${STYLE}</style>
</head>
<body>
<main id="app"><h1>${title}</h1><noscript><p>This page draws with JavaScript, without any network. Allow scripts to explore.</p></noscript></main>
<script type="application/json" id="content">${data}</script>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('base64');
}
