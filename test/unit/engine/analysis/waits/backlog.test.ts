import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Backlog } from '../../../../../services/engine/analysis/waits/backlog.js';
import { NullProbe } from '../../../../../services/engine/contract/probe.js';
import type { Engine } from '../../../../../services/engine/device/engine.js';
import { Session } from '../../../../../services/runtime/session.js';
import { fabricOf } from '../../../../kit/emulate.js';

type Queued = Parameters<NullProbe['frameQueued']>;
type Sent = Parameters<NullProbe['frameSent']>;

/** Counts what passes every port of the switches, and reads the queues whenever one is stopped. */
class Both extends NullProbe {
  readonly counted: readonly Backlog[];
  compared = 0;

  constructor(private readonly engine: Engine) {
    super();
    this.counted = engine.devices.map((device) => new Backlog(engine, device));
    engine.devices.forEach(({ spec }, d) => {
      if (spec.kind === 'host') return;
      spec.ports.forEach((_, port) => {
        this.counted[d]!.keep(port);
      });
    });
  }

  override frameQueued(...[device, , egress, , , frame]: Queued): void {
    this.counted[device]!.pass(egress, frame, 1);
  }

  override frameSent(...[device, port, , , frame]: Sent): void {
    this.counted[device]!.pass(port, frame, -1);
  }

  override stopAsked(device: number, port: number, _now: number, group: number): void {
    const own = this.engine.devices[device]!;
    if (own.spec.kind !== 'switch') return;
    const read = new Backlog(this.engine, own);
    const counted = this.counted[device]!;
    own.spec.ports.forEach((_, egress) => {
      assert.equal(counted.get(group, port, egress), read.get(group, port, egress));
    });
    assert.equal(counted.total(group, port), read.total(group, port));
    const octets = own.spec.ports.map((_, egress) => read.get(group, port, egress));
    const most = Math.max(...octets);
    const egress = octets.indexOf(most);
    const isShared = own.spec.ports.some((_, p) => p !== port && read.get(group, p, egress) > 0);
    const expected = most === 0 ? null : { egress, isShared };
    assert.deepEqual(read.fullest(group, port), expected);
    assert.deepEqual(counted.fullest(group, port), expected);
    this.compared++;
  }
}

describe('a backlog', () => {
  for (const example of ['incast-pfc.yaml', 'victim-behind-pfc.yaml']) {
    it(`that is counted is the one that stands in the queues: ${example}`, () => {
      const session = new Session(fabricOf(`examples/${example}`), { check: false });
      const both = new Both(session.engine);
      session.engine.listen(both, session.engine.devices.keys(), false);
      while (session.advance(1000) === 'running');
      assert.ok(both.compared > 0);
    });
  }
});
