import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunOperation } from '../../../services/telemetry/run-operation.js';
import { OperationLog } from '../../../services/runtime/operations.js';
import { planOperations, wallClockFrom } from '../../../services/telemetry/otlp/plan-operations.js';
import { shownTime } from '../../../services/telemetry/otlp/span-clock.js';

const START_MS = 1_700_000_000_000;

function operation(kind: RunOperation['kind'], second: number, reason = ''): RunOperation {
  const startMs = START_MS + 1000 * second;
  const times = { startMs, endMs: startMs + 500, fromPs: second, toPs: second + 1 };
  return { kind, ...times, epoch: 1, service: kind === 'round' ? 2 : -1, reason };
}

describe('operations of the runtime', () => {
  it('are sampled by kind, over the whole run', () => {
    const log = new OperationLog();
    for (let second = 0; second < 10_000; second++) {
      if (log.isSampled('round')) log.note(operation('round', second));
      if (second % 1000 === 0 && log.isSampled('recovery')) log.note(operation('recovery', second));
    }
    const seconds = (kind: string): number[] =>
      log.list().flatMap((one) => (one.kind === kind ? [one.fromPs] : []));
    assert.equal(seconds('recovery').length, 10);
    const rounds = seconds('round');
    assert.ok(rounds.length > 256 && rounds.length <= 512);
    const steps = rounds.slice(1).map((second, i) => second - rounds[i]!);
    assert.deepEqual([...new Set(steps)], [32]);
  });

  it('are spans of one trace in wall-clock time, errors where they failed', () => {
    const operations = [operation('round', 0), operation('checkpoint', 3, 'disk full')];
    const [whole, round, checkpoint] = planOperations('incast-1', operations);
    assert.equal(round!.parent, whole!.id);
    assert.equal(round!.attributes['selvage.last_service'], 2);
    assert.deepEqual([checkpoint!.name, checkpoint!.error], ['checkpoint', 'disk full']);
    const clock = wallClockFrom(START_MS);
    assert.deepEqual(shownTime(clock, checkpoint!.endPs), [START_MS / 1000 + 3, 500_000_000]);
    assert.deepEqual(shownTime(clock, whole!.endPs), [START_MS / 1000 + 3, 500_000_000]);
  });
});
