import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  addressOf,
  registersAt,
  sharedAddressOf,
} from '../../../../services/engine/nic-82599/register-addresses.js';
import type { RegisterName } from '../../../../services/engine/nic-82599/register-map.js';
import {
  REGISTER_NAMES,
  registerKind,
} from '../../../../services/engine/nic-82599/register-map.js';

/** QPRDC has addresses for 16 queues only. */
const COUNTED = 16;

it('every register has an address, and is found there', () => {
  for (const register of REGISTER_NAMES) {
    const { count } = registerKind(register);
    const last = register === 'QPRDC' ? COUNTED : count;
    for (let index = 0; index < last; index++) {
      const address = sharedAddressOf(register) ?? addressOf({ register, index });
      assert.ok(address !== null, `${register}[${index}]`);
      const found = registersAt(address, index);
      assert.ok(found.some((own) => own.register === register && own.index === index));
    }
  }
});

/** As ixgbe_type.h of the Linux driver has them. */
const KNOWN: readonly (readonly [number, RegisterName, number])[] = [
  [0x00200, 'LEDCTL', 0],
  [0x02104, 'SRRCTL', 1],
  [0x01054, 'SRRCTL', 1],
  [0x01428, 'RXDCTL', 16],
  [0x0dfe8, 'RXDCTL', 127],
  [0x02150, 'RTRPT4C', 4],
  [0x0491c, 'RTTDT2C', 3],
  [0x0cd3c, 'RTTPT2C', 7],
  [0x0c800, 'RTTUP2TC', 0],
  [0x03c04, 'RXPBSIZE', 1],
  [0x07fcc, 'DCA_TXCTRL', 127],
];

it('addresses are those of the driver', () => {
  for (const [address, register, index] of KNOWN) {
    assert.deepEqual(registersAt(address, 0), [{ register, index }]);
  }
  assert.deepEqual(registersAt(0x04908, 5), [{ register: 'RTTDT1C', index: 5 }]);
  assert.equal(registersAt(0x04980, 0).length, 8);
  for (const address of [0x04912, 0x04904, 0x00000, 0x0ffff]) {
    assert.deepEqual(registersAt(address, 0), []);
  }
});
