import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../kit/emulate.js';
import { stale } from '../kit/printed.js';

// `npm run generate` writes what the program prints and the repository keeps (kit/printed.ts).
// Fingerprints of examples need a reason: `npm run golden -- --accept "why"`.

for (const { printed, text } of stale()) {
  writeFileSync(join(ROOT, printed.path), text);
  console.log(`${printed.path}: written (${printed.by})`);
}
