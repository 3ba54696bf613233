import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../kit/emulate.js';
import { leftOver, stale } from '../kit/printed.js';

// `npm run generate` writes what the program prints and the repository keeps (kit/printed.ts).
// Fingerprints of examples need a reason: `npm run golden -- --accept "why"`.

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
