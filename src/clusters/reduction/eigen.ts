const MOST_SWEEPS = 60;

/**
 * Eigenvalues of a symmetric matrix, falling, and their vectors as rows: Jacobi's rotations, exact to rounding and good
 * for the small matrices (tens of rows) that are left of large ones here.
 */
export function eigenOfSymmetric(
  matrix: Float64Array,
  size: number,
): { readonly values: Float64Array; readonly vectors: Float64Array } {
  const a = matrix.slice();
  const v = new Float64Array(size * size);
  for (let i = 0; i < size; i++) v[i * size + i] = 1;
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    if (offDiagonal(a, size) === 0) break;
    for (let p = 0; p < size; p++) for (let q = p + 1; q < size; q++) rotate(a, v, size, p, q);
  }
  const order = Array.from({ length: size }, (_, i) => i).sort(
    (x, y) => (a[y * size + y] as number) - (a[x * size + x] as number) || x - y,
  );
  const vectors = new Float64Array(size * size);
  order.forEach((from, to) => {
    for (let k = 0; k < size; k++) vectors[to * size + k] = v[k * size + from] as number;
  });
  return { values: Float64Array.from(order, i => a[i * size + i] as number), vectors };
}

/** What is left off the diagonal; 0 once it is below rounding. */
function offDiagonal(a: Float64Array, size: number): number {
  let off = 0;
  let on = 0;
  for (let i = 0; i < size; i++) {
    on += (a[i * size + i] as number) ** 2;
    for (let j = i + 1; j < size; j++) off += (a[i * size + j] as number) ** 2;
  }
  return off <= 1e-26 * on ? 0 : off;
}

function rotate(a: Float64Array, v: Float64Array, size: number, p: number, q: number): void {
  const apq = a[p * size + q] as number;
  if (apq === 0) return;
  const theta = ((a[q * size + q] as number) - (a[p * size + p] as number)) / (2 * apq);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  const turn = (cells: Float64Array, first: number, second: number): void => {
    const x = cells[first] as number;
    const y = cells[second] as number;
    cells[first] = c * x - s * y;
    cells[second] = s * x + c * y;
  };
  for (let k = 0; k < size; k++) turn(a, k * size + p, k * size + q);
  for (let k = 0; k < size; k++) turn(a, p * size + k, q * size + k);
  for (let k = 0; k < size; k++) turn(v, k * size + p, k * size + q);
}
