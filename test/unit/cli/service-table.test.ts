import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { selvage } from '#contracts';
import { topScreen } from '../../../services/cli/commands/top.js';
import { serviceRows } from '../../../services/cli/fleet/service-table.js';

const STATUS = new selvage.v1.RunStatus({
  run: 'r1',
  scenario: 'incast',
  phase: selvage.v1.RunStatus.Phase.PHASE_RUNNING,
  virtualPs: 3e6,
  share: 0.5,
  epoch: 2,
  rounds: 7,
  messages: 40,
  checkpointPs: 2e6,
  checkpointAgeMs: 1500,
  psPerSecond: 4e6,
  parts: [
    { connected: true, host: 'a', executedPs: 3e6, cpuShare: 0.25, messageRate: 12, waitsFor: [1] },
    { connected: true, host: 'b', executedPs: 2e6, cpuShare: 0.99, messageRate: 3, owing: true },
    { connected: false, host: '' },
  ],
});

describe('the services of a run in progress', () => {
  it('are shown with the slowest first, and with what they wait for', () => {
    assert.deepEqual(topScreen(STATUS), [
      'r1  incast  running',
      '3 us (50 %), 4 us/s, epoch 2, 7 rounds, 40 messages, checkpoint at 2 us (1.5 s ago)',
      '',
      'service  host  virtual time  lag   CPU   messages/s  waits for',
      '2              lost',
      '1        b     2 us          1 us  99 %  3',
      '0        a     3 us          0     25 %  12          1',
    ]);
  });

  it('lag behind the one that is farthest', () => {
    assert.deepEqual(
      serviceRows(STATUS).map(({ lagPs }) => lagPs),
      [0, 1e6, 3e6],
    );
  });
});
