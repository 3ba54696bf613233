/** Virtual time: whole picoseconds in a double, exact up to 2^53 ps (two and a half hours). */

export const NS_PER_S = 1e9;
export const PS_PER_NS = 1e3;
export const PS_PER_US = 1e6;
export const PS_PER_MS = 1e9;
export const PS_PER_S = 1e12;

const SCALES: readonly (readonly [ps: number, name: string])[] = [
  [PS_PER_S, 's'],
  [PS_PER_MS, 'ms'],
  [PS_PER_US, 'us'],
  [PS_PER_NS, 'ns'],
];

/** `12.345 us`: in the largest unit that leaves at least 1, with at most three decimals. */
export function formatPs(ps: number): string {
  if (!Number.isFinite(ps)) return ps > 0 ? 'never' : String(ps);
  for (const [scale, name] of SCALES) {
    const value = Math.round((ps / scale) * 1e3) / 1e3;
    if (Math.abs(value) >= 1) return `${value} ${name}`;
  }
  return `${ps} ps`;
}
