import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { selvage } from '#contracts';
import { CoordinatorScript, SILENT_LOG } from '../../kit/coordinator-script.js';
import { MemoryStorage } from '../../kit/memory-storage.js';

const HASH = Buffer.of(1);
let now = 0;

describe('a checkpoint', () => {
  let storage: MemoryStorage;
  let warnings: string[];
  let scripts: CoordinatorScript[];
  beforeEach(() => {
    mock.method(performance, 'now', () => now);
    storage = new MemoryStorage();
    warnings = [];
    scripts = [];
  });
  afterEach(() => {
    for (const { coordinator } of scripts) coordinator.fail('the test is over');
    mock.restoreAll();
  });

  /** A coordinator that takes a checkpoint wherever it can. */
  async function begin(): Promise<CoordinatorScript> {
    const log = { ...SILENT_LOG, warn: (event: string) => warnings.push(event) };
    const script = new CoordinatorScript(storage, { checkpointMs: 0, log });
    scripts.push(script);
    await script.begin();
    return script;
  }

  it('that does not get through is given up, and the one before it is kept', async () => {
    const script = await begin();
    const kept = await untilSave(script, 1);
    script.fromBoth({ saved: { ...kept, hash: HASH } });
    const lost = await untilSave(script, 2);
    now += 10_000;
    script.from(1, { saved: { ...lost, failure: 'no answer for 10 s' } });
    script.from(0, { saved: { ...lost, hash: HASH } });
    const round = await script.next('round');
    assert.equal(round.epoch, 1);
    assert.deepEqual(warnings, [
      `checkpoint ${lost.checkpoint} is given up: service 1: no answer for 10 s`,
    ]);
    const manifest = selvage.v1.Manifest.decode(storage.files.get('manifest')!);
    assert.equal(manifest.checkpoint, kept.checkpoint);
    // A store that was away for long does not put off the next.
    now += 1;
    script.report(round, 3e6);
    const again = await script.next('save');
    assert.equal(again.boundPs, round.endPs);
    // One that fails again does: the run would wait more than it runs.
    now += 10_000;
    script.from(1, { saved: { ...nameOf(again), failure: 'no answer for 10 s' } });
    assert.equal(detailOf(script), warnings.at(-1));
    const early = await script.next('round');
    now += 19 * 10_000;
    script.report(early, 4e6);
    const late = await script.next('round');
    now += 1;
    script.report(late, 5e6);
    const saved = await script.next('save');
    assert.equal(saved.boundPs, late.endPs);
    script.fromBoth({ saved: { ...nameOf(saved), hash: HASH } });
    await script.next('round');
    assert.equal(detailOf(script), '');
  });

  it('that cannot be committed is given up, too', async () => {
    const script = await begin();
    storage.put = () => Promise.reject(new Error('the disk is full'));
    const lost = await untilSave(script, 1);
    script.fromBoth({ saved: { ...lost, hash: HASH } });
    assert.equal((await script.next('round')).epoch, 1);
    assert.match(warnings[0]!, /is given up: .*the disk is full/);
  });

  it('is not taken again before the run has gone on for 19 times as long as the last took', async () => {
    const script = await begin();
    const first = await untilSave(script, 1);
    now += 10;
    script.fromBoth({ saved: { ...first, hash: HASH } });
    const early = await script.next('round');
    now += 190;
    script.report(early, 2e6);
    const late = await script.next('round');
    now += 1;
    script.report(late, 3e6);
    assert.equal((await script.next('save')).boundPs, late.endPs);
  });

  it('that is damaged is left for the one before it, and that for the beginning', async () => {
    const script = await begin();
    const first = await untilSave(script, 1);
    script.fromBoth({ saved: { ...first, hash: HASH } });
    const second = await untilSave(script, 2);
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

/** Up to the demand to save at so many microseconds; returns what names the checkpoint. */
async function untilSave(
  script: CoordinatorScript,
  us: number,
): Promise<{ epoch: number; checkpoint: string; boundPs: number }> {
  if (us === 1) await script.ready();
  const round = await script.next('round');
  now += 1;
  script.report(round, us * 1e6);
  const save = await script.next('save');
  return nameOf(save);
}

function nameOf({ epoch, checkpoint, boundPs }: selvage.v1.Save.$Properties): {
  epoch: number;
  checkpoint: string;
  boundPs: number;
} {
  return { epoch: epoch!, checkpoint: checkpoint!, boundPs: boundPs! };
}

function detailOf({ coordinator }: CoordinatorScript): string {
  let detail = '';
  coordinator.watch((status) => {
    detail = status.detail ?? '';
  })();
  return detail;
}
