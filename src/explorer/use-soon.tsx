import { useEffect, useMemo, useState } from 'preact/hooks';

const AFTER_ZOOM_MS = 260;

/**
 * What `compute` gives: at once where it is `light`, else after the zoom that asked for it, so that no frame of the
 * zoom waits. Undefined until then. Like useMemo it computes again when a dependency changes.
 */
export function useSoon<T>(compute: () => T, light: boolean, dependencies: readonly unknown[]): T | undefined {
  const now = useMemo(() => (light ? { value: compute() } : undefined), [light, ...dependencies]);
  const [later, setLater] = useState<{ readonly key: object; readonly value: T }>();
  // A new key for each new set of dependencies: what was computed for another is not shown.
  const key = useMemo(() => ({}), [light, ...dependencies]);
  useEffect(() => {
    if (light) return;
    const timer = setTimeout(() => setLater({ key, value: compute() }), AFTER_ZOOM_MS);
    return () => clearTimeout(timer);
  }, [key]);
  if (now) return now.value;
  return later?.key === key ? later.value : undefined;
}
