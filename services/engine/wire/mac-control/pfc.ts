export interface PfcFrame { enable: number; readonly times: Uint16Array }
export function makePfcFrame(): PfcFrame { return { enable: 0, times: new Uint16Array(8) }; }
export function encodePfc(o: Uint8Array, source: Uint8Array, f: PfcFrame): number {
  o.fill(0, 0, 60); o.set([1, 0x80, 0xc2, 0, 0, 1]); o.set(source, 6); o[12] = 0x88; o[13] = 8; o[14] = 1; o[15] = 1; o[17] = f.enable;
  for (let i = 0; i < 8; i++) { o[18 + 2 * i] = f.times[i] >> 8; o[19 + 2 * i] = f.times[i] & 255; }
  return 60;
}
export function decodePfc(o: Uint8Array, n: number, f: PfcFrame): string {
  if (n < 34 || o[14] !== 1 || o[15] !== 1) return 'no';
  f.enable = o[17]; for (let i = 0; i < 8; i++) f.times[i] = (o[18 + 2 * i] << 8) | o[19 + 2 * i];
  return 'ok';
}
