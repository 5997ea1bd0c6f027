import { performance } from 'node:perf_hooks';
import { hdbscan } from '../src/clusters/hdbscan/hdbscan.ts';
import { seededRandom } from '../src/meaning/text/hash.ts';

// HDBSCAN alone, on 6,000 and 20,000 points around 40 middles in 10 dimensions: wall and CPU seconds, and peak memory.
const DIMS = 10;
for (const rows of [6_000, 20_000]) {
  const random = seededRandom(rows);
  const middles = Array.from({ length: 40 * DIMS }, () => 12 * random());
  const cells = Float64Array.from(
    { length: rows * DIMS },
    (_, at) => (middles[(Math.floor(at / DIMS) % 40) * DIMS + (at % DIMS)] as number) + random() + random() + random(),
  );
  const [started, before] = [performance.now(), process.cpuUsage()];
  const found = hdbscan(
    { rows, dims: DIMS, cells },
    { minClusterSize: Math.round(0.01 * rows), minSamples: 5, selection: 'eom' },
  );
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(
    `${JSON.stringify({
      points: rows,
      clusters: found.clusters,
      wall_s: Number(((performance.now() - started) / 1000).toFixed(2)),
      cpu_s: Number(((user + system) / 1e6).toFixed(2)),
      peak_mib: Math.round(process.resourceUsage().maxRSS / 1024),
    })}\n`,
  );
}
