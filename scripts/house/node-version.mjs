// @ts-check
// Imported first by the scripts people start by hand. Kept to syntax that old versions of Node parse, because its
// one job is to speak before anything newer is reached.

export const OLDEST = '20.19.0';

/**
 * @param {string} version like "20.19.0"
 * @returns {string} one sentence for the person, or '' if the version will do
 */
export function complaint(version) {
  const have = version.split('.').map(Number);
  const need = OLDEST.split('.').map(Number);
  for (let i = 0; i < need.length; i++) {
    const mine = have[i] || 0;
    const least = need[i] || 0;
    if (mine > least) return '';
    if (mine < least) return `agentpprof needs Node ${OLDEST} or newer, this is Node ${version}.`;
  }
  return '';
}

const words = complaint(process.versions.node);
if (words) {
  console.error(words);
  process.exit(1);
}
