import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { selvage } from '#contracts';
import { Coordinator } from '../../../services/coordinator/coordinator.js';
import { planParts } from '../../../services/fabric/placement/part-plan.js';
import { placeEachAlone } from '../../../services/fabric/placement/placement.js';
import { CheckpointStore } from '../../../services/runtime/checkpoints/store.js';
import { LiveFaults } from '../../../services/runtime/live-faults.js';
import { PROTOCOL } from '../../../services/runtime/part/messages.js';
import { sourceOf } from '../../kit/emulate.js';
import { MemoryStorage } from '../../kit/memory-storage.js';

type Down = selvage.v1.ToService.$Properties;
type Up = selvage.v1.FromService.$Properties;

const HASH = Buffer.of(1);
const { loaded, fabric } = sourceOf('examples/pair-line-rate.yaml', 'duration=10us');
const plans = planParts(fabric, placeEachAlone(fabric.topology));

describe('a checkpoint', () => {
  let storage: MemoryStorage;
  let warnings: string[];
  let coordinators: Coordinator[];
  beforeEach(() => {
    storage = new MemoryStorage();
    warnings = [];
    coordinators = [];
  });
  afterEach(() => {
    for (const coordinator of coordinators) coordinator.fail('the test is over');
  });

  /** A coordinator, and two services that say what the test has them say. */
  async function begin(): Promise<Script> {
    const options = { run: 'r', version: '1', check: false, checkpointMs: 0, patienceMs: 1e6 };
    const coordinator = new Coordinator(
      new LiveFaults(loaded, fabric),
      plans,
      new CheckpointStore(storage),
      { ...options, roundLength: null, warn: (text) => warnings.push(text) },
    );
    coordinators.push(coordinator);
    await coordinator.recall();
    return new Script(coordinator);
  }

  it('that does not get through is given up, and the one before it is kept', async () => {
    const script = await begin();
    const kept = await script.untilSave(1);
    script.fromBoth({ saved: { ...kept, hash: HASH } });
    const lost = await script.untilSave(2);
    script.from(1, { saved: { ...lost, failure: 'no answer for 10 s' } });
    script.from(0, { saved: { ...lost, hash: HASH } });
    assert.equal((await script.next('round')).epoch, 1);
    assert.deepEqual(warnings, [
      `checkpoint ${lost.checkpoint} is given up: service 1: no answer for 10 s`,
    ]);
    const manifest = selvage.v1.Manifest.decode(storage.files.get('manifest')!);
    assert.equal(manifest.checkpoint, kept.checkpoint);
  });

  it('that cannot be committed is given up, too', async () => {
    const script = await begin();
    storage.put = () => Promise.reject(new Error('the disk is full'));
    const lost = await script.untilSave(1);
    script.fromBoth({ saved: { ...lost, hash: HASH } });
    assert.equal((await script.next('round')).epoch, 1);
    assert.match(warnings[0]!, /is given up: .*the disk is full/);
  });

  it('that is damaged is left for the one before it, and that for the beginning', async () => {
    const script = await begin();
    const first = await script.untilSave(1);
    script.fromBoth({ saved: { ...first, hash: HASH } });
    const second = await script.untilSave(2);
    script.fromBoth({ saved: { ...second, hash: HASH } });
    await script.next('round');
    // Another coordinator finds both.
    const other = await begin();
    const returned = await other.next('assignment');
    assert.deepEqual(returned.from, { ...second, stateHash: HASH });
    const reason = 'its hash is wrong';
    const { epoch } = returned;
    other.fromBoth({ unusable: { epoch: epoch!, checkpoint: second.checkpoint, reason } });
    const earlier = await other.next('assignment');
    assert.deepEqual(earlier.from, { ...first, stateHash: HASH });
    other.from(0, { unusable: { epoch: earlier.epoch!, checkpoint: first.checkpoint, reason } });
    assert.equal((await other.next('assignment')).from, null);
    assert.deepEqual(
      warnings,
      [second, first].map(
        ({ checkpoint }) => `checkpoint ${checkpoint} is unusable: service 0: its hash is wrong`,
      ),
    );
  });
});

class Script {
  private readonly heard: Down[] = [];

  constructor(private readonly coordinator: Coordinator) {
    const register = { protocol: PROTOCOL, run: 'r', version: '1', incarnation: 'a' };
    coordinator.register({ ...register, service: 0 }, (message) => this.heard.push(message));
    coordinator.register({ ...register, service: 1 }, () => undefined);
  }

  from(service: number, message: Up): void {
    this.coordinator.hear(service, new selvage.v1.FromService(message));
  }

  fromBoth(message: Up): void {
    for (const service of [0, 1]) this.from(service, message);
  }

  /** The next message of a kind; what comes before it is passed over. */
  async next<K extends 'assignment' | 'round' | 'save'>(kind: K): Promise<NonNullable<Down[K]>> {
    for (;;) {
      for (let message = this.heard.shift(); message; message = this.heard.shift()) {
        const found = message[kind];
        if (found) return found;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Up to the demand to save at so many microseconds; returns what names the checkpoint. */
  async untilSave(us: number): Promise<{ epoch: number; checkpoint: string; boundPs: number }> {
    if (us === 1) {
      const { epoch } = await this.next('assignment');
      this.fromBoth({ ready: { epoch: epoch!, nextPs: 0 } });
    }
    const { epoch, round } = await this.next('round');
    const times = { nextPs: us * 1e6, handedOverPs: us * 1e6 };
    this.fromBoth({ report: { epoch: epoch!, round: round!, ...times } });
    const save = await this.next('save');
    return { epoch: save.epoch!, checkpoint: save.checkpoint!, boundPs: save.boundPs! };
  }
}
