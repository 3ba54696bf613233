/**
 * Every field of every register that a scenario may write either changes what the part does, or is
 * refused: one row each. What can only be read is shown.
 */

import assert from 'node:assert/strict';
import { nicsOf } from '../kit/nics.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { RegisterName } from '../../services/engine/nic-82599/register-map.js';
import { REGISTER_NAMES, registerKind } from '../../services/engine/nic-82599/register-map.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { ROOT, runScenario } from '../kit/emulate.js';
import type { Row } from '../kit/nic-register-rows.js';
import {
  GROUPS,
  placeOf,
  registerTable,
  ROWS,
  SLOW,
  titleOf,
  USUAL_LOAD,
  WRITABLE,
} from '../kit/nic-register-rows.js';

function scenarioOf({ nic = '', load = USUAL_LOAD }: Row, written: string): string {
  return `duration: 300us
fabric: { generator: pair, link: { rate: 10G, length: 10m } }
priorities: { 3: { flowControl: pfc, responseDelay: 500ns } }
hosts: { nic: { model: 82599${nic === '' ? '' : `, ${nic}`}${written} } }
load:${load}`;
}

/** All that a part shows but for its registers. */
function shownBy({ digest, flows, nics }: RunResults): unknown {
  return [digest, flows, nics.map((nic) => ({ ...nic, registers: null }))];
}

function fieldsOf(register: RegisterName): string[] {
  return Object.keys(registerKind(register).fields).map((field) => `${register}.${field}`);
}

describe('a register of an 82599', () => {
  it('has a row for each of its fields', () => {
    assert.deepEqual(Object.keys(ROWS).sort(), WRITABLE.flatMap(fieldsOf).sort());
  });

  for (const [name, row] of Object.entries(ROWS)) {
    it(titleOf(name, row), () => {
      // Before the run a value lies over what `regs` says beside.
      const regs = /regs: \{ (.*?) \}/.exec(row.nic ?? '')?.[1];
      const written = `"${placeOf(name, row)}": ${row.value}`;
      const changed =
        regs === undefined
          ? scenarioOf(row, `, regs: { ${written} }`)
          : scenarioOf({ ...row, nic: row.nic!.replace(regs, `${regs}, ${written}`) }, '');
      if (row.refused !== undefined) {
        assert.throws(() => runScenario(changed), row.refused);
        return;
      }
      assert.notDeepEqual(shownBy(runScenario(changed)), shownBy(runScenario(scenarioOf(row, ''))));
    });
  }

  it('has them in the table of the documents', () => {
    const page = readFileSync(join(ROOT, 'docs/seeds/82599-registers.md'), 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| `'));
    const cells = (line: string): string => line.replaceAll(/\s+/g, ' ').trim();
    assert.deepEqual(rows.map(cells), registerTable().map(cells));
  });

  it('that can only be read shows what is counted', () => {
    const nic = `${SLOW}, ${GROUPS}, receiveRings: { descriptors: 8, software: 9us, drop: true }`;
    const { nics } = runScenario(scenarioOf({ value: 0, nic }, ''));
    const shown = nicsOf({ nics }).flatMap(({ registers }) => Object.keys(registers));
    for (const register of REGISTER_NAMES.filter((name) => registerKind(name).status)) {
      if (register === 'RXMPC') continue;
      assert.ok(
        shown.some((name) => name.startsWith(register)),
        register,
      );
    }
  });
});
