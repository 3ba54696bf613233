import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../kit/emulate.js';
import { leftOver, stale } from '../kit/printed.js';
import { pageOf } from '../sonic/against-hardware.js';
import { distinct, rowOf } from '../sonic/measured.js';

// `npm run generate` writes what the program prints and the repository keeps (kit/printed.ts).
// Frames through emulated switches give the page of what labs measured.
// Fingerprints of examples need a reason: `npm run golden -- --accept "why"`.

const page = join(ROOT, 'docs/against-hardware.md');
writeFileSync(page, pageOf(distinct('threshold-lab').map(rowOf)));

for (const { printed, text } of stale()) {
  const file = join(ROOT, printed.path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`${printed.path}: written (${printed.by})`);
}
for (const path of leftOver()) {
  rmSync(join(ROOT, path));
  console.log(`${path}: removed`);
}
