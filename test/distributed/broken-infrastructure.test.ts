import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { infrastructureOf } from '../../services/cli/fleet/infrastructure.js';
import { fabricOf, run } from '../kit/emulate.js';
import { fleetFor, runFleet } from '../kit/fleet.js';

const EXAMPLE = 'broken-infrastructure.yaml';
const skip = isInstalled() ? false : 'no nats-server on the PATH';

describe('a scenario that breaks the infrastructure, too', () => {
  it(
    'gives one digest in one process, and in processes that are killed',
    { skip, timeout: 120_000 },
    async () => {
      const fabric = fabricOf(`examples/${EXAMPLE}`);
      const { topology, placement, scenario } = fabric;
      const infrastructure = infrastructureOf(scenario.infrastructure, topology, placement);
      const epochs: number[] = [];
      const merged = await runFleet(
        fleetFor(EXAMPLE, placement.length, [], { infrastructure }),
        undefined,
        ({ epoch }) => {
          epochs.push(epoch);
        },
      );
      assert.equal(merged.results.digest, run(fabric).digest);
      // At least the service and the coordinator that were killed at virtual times made it begin
      // anew.
      assert.ok(Math.max(...epochs) >= 3);
    },
  );

  it('is refused where it says nothing that could be done', () => {
    const refuse = (fault: string, reason: RegExp): void => {
      assert.throws(() => fabricOf(`examples/${EXAMPLE}`, `infrastructure=[${fault}]`), reason);
    };
    refuse('{ kind: kill, of: broker }', /when\? give at, a virtual time, or after/);
    refuse('{ kind: pause, of: broker, at: 1us }', /a pause needs for/);
    refuse('{ kind: kill, of: service, at: 1us }', /a service is named by a device/);
    refuse('{ kind: kill, of: service, device: leaf9, at: 1us }', /no device is called leaf9/);
  });
});
