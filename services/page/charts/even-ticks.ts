/** How many marks an axis has room for, and the least that two of them differ by. */
interface Marks {
  readonly most: number;
  readonly least?: number;
}

/** Where an axis is marked: at multiples of 1, 2 or 5 of a decade. */
export function evenTicks(low: number, high: number, { most, least = 0 }: Marks): number[] {
  const span = high - low || 1;
  const rough = 10 ** Math.floor(Math.log10(span / most));
  const steps = [1, 2, 5, 10].map((n) => n * rough);
  const step = Math.max(
    least,
    steps.find((size) => span / size <= most)!,
  );
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  return Array.from({ length: count }, (_, i) => (first + i) * step);
}
