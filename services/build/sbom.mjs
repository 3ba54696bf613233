// Writes which packages the published one needs, and which its page carries, in CycloneDX:
// dist/sbom.cdx.json. `npm sbom --omit=dev` would leave out what tools of development need as well.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
/** What services/page imports: only development installs it. */
const CARRIED = ['preact', 'uplot'];

const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const words = ['sbom', '--sbom-format', 'cyclonedx'];
const options = { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 };
const { status, stdout, stderr } = spawnSync('npm', words, options);
if (status !== 0) throw new Error(`npm sbom: ${stderr}`);
const bill = JSON.parse(stdout);
const own = bill.metadata.component['bom-ref'];
const needs = new Map(bill.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));

const direct = [...Object.keys(dependencies), ...CARRIED];
const nameOf = (ref) => ref.replace(/@[^@]*$/, '');
needs.set(
  own,
  needs.get(own).filter((ref) => direct.includes(nameOf(ref))),
);
const needed = new Set([own]);
for (const ref of needed) needs.get(ref).forEach((each) => needed.add(each));

bill.dependencies = [...needed].map((ref) => ({ ref, dependsOn: needs.get(ref) }));
bill.components = bill.components.filter((component) => needed.has(component['bom-ref']));
for (const component of bill.components) {
  // Said of what development needs as well.
  component.scope = 'required';
  component.properties = component.properties.filter(({ name }) => !name.endsWith(':development'));
}
writeFileSync(join(root, 'dist', 'sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
