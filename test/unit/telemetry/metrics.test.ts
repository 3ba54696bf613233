import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Session } from '../../../services/runtime/session.js';
import { pushMetrics } from '../../../services/telemetry/metrics/push-metrics.js';
import { fabricOf } from '../../kit/emulate.js';
import { grpcReceiver } from '../../kit/otlp-receiver.js';

describe('metrics over gRPC', () => {
  it('are what the published schema says, octet by octet', async () => {
    const fabric = fabricOf('examples/incast-pfc.yaml', 'load.0.bytes=20KB', 'expect=[]');
    const session = new Session(fabric, { check: false });
    while (session.advance(1000) === 'running');
    const { ports, credits, flows, virtualPs, frameHops } = session.results('complete');
    const receiver = await grpcReceiver();
    const url = receiver.url.replace('grpc:', 'http:');
    const waits = [
      { device: 's1', priority: 3, ps: 150_000 },
      { device: 's1', priority: 3, ps: 3e6 },
    ];
    const all = { ports, flows, waits, virtualPs, frameHops };
    const service = { service: 1, host: 'a', lagSeconds: 2e-6, cpuShare: 0.5, messageRate: 7 };
    const runtime = {
      ...{ rounds: 12, recoveries: 2, messages: 30, resentMessages: 1, checkpoints: 3 },
      ...{ checkpointSeconds: 0.25, checkpointAgeSeconds: null, speed: 1e-4 },
      services: [service],
    };
    const metrics = { ...all, mechanisms: { credits }, share: 1, wallSeconds: 1, runtime };
    assert.equal(await pushMetrics({ protocol: 'grpc', url }, { run: 'x' }, metrics), null);
    receiver.close();
    const sentFrames = new Map(
      receiver.metrics
        .filter(({ name }) => name === 'selvage.sent.frames')
        .map(({ attributes, value }) => [`${attributes['port']} ${attributes['priority']}`, value]),
    );
    const rows = ports.flatMap(({ port, priorities }) =>
      priorities.map(({ priority, txFrames }) => [`${port} ${priority}`, txFrames] as const),
    );
    assert.deepEqual(sentFrames, new Map(rows));
    assert.ok(rows.some(([, frames]) => frames > 0));
    const countOf = (wanted: string): number =>
      receiver.metrics
        .filter(({ name }) => name === wanted)
        .reduce((sum, { value }) => sum + value, 0);
    const complete = flows.filter(({ completionPs }) => completionPs !== null).length;
    assert.ok(complete > 0);
    assert.equal(countOf('selvage.flow.completion.seconds'), complete);
    assert.equal(countOf('selvage.queueing.seconds'), waits.length);
    assert.equal(countOf('selvage.rounds'), 12);
    assert.equal(countOf('selvage.recoveries'), 2);
    assert.equal(countOf('selvage.checkpoint.age.seconds'), -1);
    const lag = receiver.metrics.find(({ name }) => name === 'selvage.service.lag.seconds');
    assert.deepEqual([lag?.value, lag?.attributes['host']], [2e-6, 'a']);
  });
});
