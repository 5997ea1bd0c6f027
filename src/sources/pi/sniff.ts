import type { Head } from '../reader.ts';
import { isObject, type Obj } from '../shapes.ts';

/** Pi's format is written by three clients. */
export type Client = 'pi' | 'oh-my-pi' | 'openclaw';

/** Row types that only Oh My Pi writes at the head of a file. */
const OH_MY_PI: ReadonlySet<unknown> = new Set(['title', 'session_init', 'credential_pin']);

/** Whose file in Pi's format this is; undefined for a file in another format. */
export function clientOf({ path, records }: Head): Client | undefined {
  const header = records.find(isHeader);
  if (header === undefined) return undefined;
  const rows = records.filter(isObject);
  const parts = path.split(/[\\/]/);
  if (parts.includes('.omp') || rows.some(row => OH_MY_PI.has(row.type))) return 'oh-my-pi';
  // OpenClaw embeds Pi. Its rows may name the header as their parent, which Pi's never do.
  if (parts.some(part => /^\.(openclaw|clawdbot|moltbot)$/.test(part))) return 'openclaw';
  return rows.some(row => row.parentId === header.id) ? 'openclaw' : 'pi';
}

function isHeader(record: unknown): record is Obj {
  return (
    isObject(record) &&
    record.type === 'session' &&
    typeof record.id === 'string' &&
    typeof record.timestamp === 'string' &&
    typeof record.cwd === 'string' &&
    (typeof record.version === 'number' || typeof record.modelId === 'string')
  );
}
