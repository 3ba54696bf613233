// Runs tests again whenever a source changes: `npm run test:watch -- WORD...`, as `test/run.mjs`;
// without a word, the fast tier.

import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const WATCHED = ['services', 'test', 'proto', 'examples', 'bench'];
/** An editor writes a file in several steps. */
const SETTLED_MS = 200;

const words = process.argv.slice(2);
const args = [join(root, 'test/run.mjs'), ...(words.length === 0 ? ['--fast'] : words)];
let running = false;
let isDue = false;
let settling;

function runTests() {
  if (running) {
    isDue = true;
    return;
  }
  running = true;
  spawn(process.execPath, args, { cwd: root, stdio: 'inherit' }).on('close', () => {
    running = false;
    if (isDue) {
      isDue = false;
      runTests();
    } else console.log('Waiting for a change.');
  });
}

for (const folder of WATCHED) {
  watch(join(root, folder), { recursive: true }, (_event, path) => {
    // The build writes there.
    if (path?.startsWith('generated')) return;
    clearTimeout(settling);
    settling = setTimeout(runTests, SETTLED_MS);
  });
}
runTests();
