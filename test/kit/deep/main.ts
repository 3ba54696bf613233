/**
 * Runs examples in one process and prints what is wrong with each: for copies of the program in
 * which a defect is planted. The first word is `deep`, or `both`: with the cheap checks alone, too.
 */

import { buildFabric } from '../../../services/fabric/assembly/fabric.js';
import { loadScenario } from '../../../services/fabric/scenario/load-scenario.js';
import { Session } from '../../../services/runtime/session.js';

const [how, ...examples] = process.argv.slice(2);
const WALL_BUDGET_MS = 1000;

for (const file of examples) {
  const fabric = buildFabric(loadScenario(file, {}));
  for (const deep of how === 'both' ? [false, true] : [true]) {
    const session = new Session(fabric, { check: !deep, deep });
    while (session.advance(WALL_BUDGET_MS) === 'running');
    const { failure } = session.results('complete');
    if (failure === null) continue;
    process.exitCode = 3;
    process.stdout.write(`${deep ? 'deep' : 'check'} ${file} ${JSON.stringify(failure)}\n`);
  }
}
