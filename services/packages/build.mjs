// Writes gRPC and OpenTelemetry into the compiled modules of this folder, dist/services/packages,
// with their licences. Of 40 MB in 60 packages the program uses 2 MB, and one of them has an
// install script, which npm reports at each installation.

import { readdirSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const root = join(folder, '..', '..');
const target = join(root, 'dist', 'services', 'packages');
const names = ['grpc', 'opentelemetry'];
const licences = join(target, 'LICENSES.md');

const compiled = names.map((name) => join(target, `${name}.js`));
if (!isNewer(licences, [...compiled, fileURLToPath(import.meta.url)])) {
  // Loaded only when there is something to do: every start comes by here.
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: folder,
    logLevel: 'warn',
    build: {
      outDir: target,
      emptyOutDir: false,
      target: 'node20',
      ssr: true,
      minify: true,
      license: { fileName: 'LICENSES.md' },
      rolldownOptions: {
        input: Object.fromEntries(names.map((name) => [name, join(folder, `${name}.ts`)])),
        // gRPC loads it for services of its own, which nothing here registers.
        external: ['@grpc/proto-loader'],
        output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
    ssr: { noExternal: true, external: builtinModules },
  });
}

function isNewer(made, than) {
  const madeAt = statSync(made, { throwIfNoEntry: false })?.mtimeMs ?? -1;
  return than.every((source) => statSync(source).mtimeMs <= madeAt);
}
