// Bundles compiled modules into programs: dist/programs, or the same in another folder that has a
// dist. A service starts in half of the CPU time that its six hundred modules need. Packages stay
// outside: npm installs and audits them (docs/decisions/0008-dependencies.md).

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isNewer } from './is-newer.mjs';

const own = fileURLToPath(import.meta.url);
const root = process.argv.length > 2 ? resolve(process.argv[2]) : join(dirname(own), '..', '..');
const services = join(root, 'dist', 'services');
const programs = join(root, 'dist', 'programs');
/** Compiled, they lie to each other as their sources do to this file. */
const modules = {
  selvage: '../cli/main.js',
  coordinator: '../coordinator/main.js',
  service: '../service/main.js',
  'thread-worker': '../runtime/threads/thread-worker.js',
  'hunt-worker': '../hunt/hunt-worker.js',
  'world-worker': '../hunt/worlds/world-worker.js',
  library: '../library/index.js',
  plugin: '../plugins/api.js',
};

const sources = readdirSync(services, { recursive: true })
  .filter((path) => path.endsWith('.js'))
  .map((path) => join(services, path));

/** A compiled module with the map to its source, which a stack and coverage then name. */
function load(path) {
  const map = `${path}.map`;
  if (!path.startsWith(services) || !existsSync(map)) return null;
  return { code: readFileSync(path, 'utf8'), map: JSON.parse(readFileSync(map, 'utf8')) };
}

if (!isNewer(join(programs, 'selvage.js'), [own, ...sources])) {
  // Loaded only when there is something to do: every start comes by here.
  const { build } = await import('vite');
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    plugins: [{ name: 'source-maps', load }],
    build: {
      outDir: programs,
      emptyOutDir: true,
      target: 'node20',
      ssr: true,
      sourcemap: true,
      rolldownOptions: {
        input: Object.fromEntries(
          Object.entries(modules).map(([name, path]) => [name, join(services, 'build', path)]),
        ),
        // Whatever is neither a path nor an import of package.json, nor made by the bundler.
        external: [/^[^./#\0]/],
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: 'chunks/[name]-[hash].js',
          comments: { legal: true, annotation: false, jsdoc: false },
        },
      },
    },
  });
}
