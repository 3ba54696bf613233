// Writes a running skeleton with its test:
//   npm run new:mechanism NAME   a congestion control of services/mechanisms, and its registration
//   npm run new:fault NAME       a kind of fault of services/fabric/faults, and its registration
//   npm run new:plugin NAME      a congestion control in a file outside the repository
//   npm run new:load NAME        a kind of load in a file outside the repository
// Each file of a folder beside this one is one of a skeleton, with the name in four spellings.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const own = dirname(fileURLToPath(import.meta.url));
const root = dirname(own);
const REGISTRY = join(root, 'services', 'mechanisms', 'registry.ts');
const RATE_CONTROLS = /^(export const RATE_CONTROLS[^\n]*= \[[^\]]*)\]/m;
const FAULTS = join(root, 'services', 'fabric', 'faults', 'registry.ts');
const KINDS_OF_FAULTS = /^(const KINDS = \[[^\]]*)\]/m;
const KINDS = ['mechanism', 'fault', 'plugin', 'load'];

const [kind, name = ''] = process.argv.slice(2);
if (!KINDS.includes(kind)) refuse(`${kind}: no such kind; one of ${KINDS.join(', ')}`);
if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
  refuse(`name ${JSON.stringify(name)}: write lower-case letters, digits and -, as in my-${kind}`);
}
const words = name.split('-');
const pascal = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
const spellings = {
  name,
  pascal,
  camel: pascal.charAt(0).toLowerCase() + pascal.slice(1),
  upper: name.toUpperCase().replaceAll('-', '_'),
};

if (kind === 'mechanism') makeMechanism();
else if (kind === 'fault') makeFault();
else makeFiles(resolve(process.env.INIT_CWD ?? '.', name), (file) => file.replace('NAME', name));

function refuse(message) {
  console.error(`error: ${message}`);
  process.exit(2);
}

function makeMechanism() {
  const folder = join(root, 'services', 'mechanisms', name);
  const test = join(root, 'test', 'unit', 'mechanisms', `${name}.test.ts`);
  makeFiles(folder, (file) => (file === 'test.ts' ? relative(folder, test) : file));
  const text = readFileSync(REGISTRY, 'utf8');
  const { camel } = spellings;
  const imported = `import { ${camel} } from './${name}/slice.js';\n`;
  const registered = text.replace(RATE_CONTROLS, `$1, ${camel}]`);
  writeFileSync(REGISTRY, imported + registered);
  console.log(`${relative(root, REGISTRY)}: registered`);
  console.log(`Now: npm run format && npm run generate && node test/run.mjs mechanisms/${name}.test
Then its example with npm run golden, and its keys for random worlds (CONTRIBUTING.md).`);
}

function makeFault() {
  const folder = dirname(FAULTS);
  const source = join(folder, `${name}.ts`);
  if (existsSync(source)) refuse(`${source}: it is there already`);
  const test = join(root, 'test', 'unit', 'fabric', 'faults', `${name}.test.ts`);
  writeFiles(folder, (file) => (file === 'test.ts' ? relative(folder, test) : `${name}.ts`));
  const { camel } = spellings;
  const text = readFileSync(FAULTS, 'utf8');
  const imported = `import { ${camel} } from './${name}.js';\n`;
  const first = text.indexOf('import ');
  const registered = text.slice(0, first) + imported + text.slice(first);
  writeFileSync(FAULTS, registered.replace(KINDS_OF_FAULTS, `$1  ${camel},\n]`));
  console.log(`${relative(root, FAULTS)}: registered`);
  console.log(`Now: npm run format && npm run generate && node test/run.mjs faults/${name}.test`);
}

function makeFiles(folder, placeOf) {
  if (existsSync(folder)) refuse(`${folder}: it is there already`);
  writeFiles(folder, placeOf);
}

function writeFiles(folder, placeOf) {
  const skeletons = join(own, kind);
  for (const source of readdirSync(skeletons)) {
    const target = join(folder, placeOf(source.replace(/\.txt$/, '')));
    mkdirSync(dirname(target), { recursive: true });
    const text = readFileSync(join(skeletons, source), 'utf8');
    writeFileSync(target, spelled(text));
    console.log(relative(process.cwd(), target));
  }
}

function spelled(text) {
  return text
    .replaceAll('{name}', spellings.name)
    .replaceAll('{Pascal}', spellings.pascal)
    .replaceAll('{camel}', spellings.camel)
    .replaceAll('{UPPER}', spellings.upper);
}
