import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Session } from '../../../services/runtime/session.js';
import { pushMetrics } from '../../../services/telemetry/metrics/push-metrics.js';
import { fabricOf } from '../../kit/emulate.js';
import { grpcReceiver } from '../../kit/otlp-receiver.js';

describe('figures over gRPC', () => {
  it('are what the published schema says, octet by octet', async () => {
    const fabric = fabricOf('examples/incast-pfc.yaml', 'load.0.bytes=20KB', 'expect=[]');
    const session = new Session(fabric, { check: false });
    while (session.advance(1000) === 'running');
    const { ports, credits, virtualPs, frameHops } = session.results('complete');
    const receiver = await grpcReceiver();
    const url = receiver.url.replace('grpc:', 'http:');
    const figures = { ports, credits, virtualPs, frameHops, share: 1, wallSeconds: 1 };
    assert.equal(await pushMetrics({ protocol: 'grpc', url }, { run: 'x' }, figures), null);
    receiver.close();
    const sentFrames = new Map(
      receiver.figures
        .filter(({ name }) => name === 'selvage.sent.frames')
        .map(({ attributes, value }) => [`${attributes['port']} ${attributes['priority']}`, value]),
    );
    const rows = ports.flatMap(({ port, priorities }) =>
      priorities.map(({ priority, txFrames }) => [`${port} ${priority}`, txFrames] as const),
    );
    assert.deepEqual(sentFrames, new Map(rows));
    assert.ok(rows.some(([, frames]) => frames > 0));
  });
});
