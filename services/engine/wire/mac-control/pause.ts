export function encodePause(o: Uint8Array, source: Uint8Array, quanta: number): number {
  o.fill(0, 0, 60); o.set([1, 0x80, 0xc2, 0, 0, 1]); o.set(source, 6); o[12] = 0x88; o[13] = 8; o[15] = 1; o[16] = quanta >> 8; o[17] = quanta & 255;
  return 60;
}
export function decodePause(o: Uint8Array, n: number, f: { quanta: number }): string {
  if (n < 18 || o[14] !== 0 || o[15] !== 1) return 'no';
  f.quanta = (o[16] << 8) | o[17]; return 'ok';
}
