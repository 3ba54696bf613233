// Makes the page's program and style: dist/page/page.{js,css}, which a report carries within it.

import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isNewer } from '../build/is-newer.mjs';

const folder = dirname(fileURLToPath(import.meta.url));
const root = join(folder, '..', '..');
const target = join(root, 'dist', 'page');
const sources = [
  ...readdirSync(folder, { recursive: true }).map((name) => join(folder, name)),
  join(root, 'services', 'report', 'format.ts'),
  ...['live-data.ts', 'page-data.ts', 'page-flow-data.ts', 'page-spread-data.ts'].map((name) =>
    join(root, 'services', 'report', 'page', name),
  ),
];

if (!isNewer(join(target, 'page.js'), sources)) {
  // Loaded only when there is something to do: every start comes by here.
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: folder,
    logLevel: 'warn',
    // The same program everywhere, whatever the environment says.
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      outDir: target,
      emptyOutDir: true,
      target: 'es2022',
      lib: {
        entry: join(folder, 'main.tsx'),
        formats: ['iife'],
        name: 'selvagePage',
        fileName: () => 'page.js',
        cssFileName: 'page',
      },
    },
  });
}
