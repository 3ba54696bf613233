import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { selvage } from '#contracts';
import { CoordinatorClient } from '../../services/cli/fleet/coordinator-client.js';
import { LiveFleet } from '../../services/cli/fleet/live-fleet.js';
import { ControlServer } from '../../services/coordinator/control-server.js';
import type { RunRequests, ServiceRequests } from '../../services/coordinator/control-requests.js';
import type { Client } from '@grpc/grpc-js';
import { RunKeys } from '../../services/runtime/keys/run-keys.js';
import { controlClient, tokenMetadata } from '../../services/runtime/links/control-channel.js';
import { RESULTS } from '../../services/runtime/links/methods.js';
import { blankColumns } from '../../services/runtime/port-sample.js';
import { SnapshotCache } from '../../services/runtime/run-snapshot.js';
import { CoordinatorLink } from '../../services/runtime/service/coordinator-link.js';
import { fabricOf } from '../kit/emulate.js';
import { SILENT_LOG } from '../kit/coordinator-script.js';

const KEYS = new RunKeys('r', '0'.repeat(32));
/** Instead of a day. */
const STREAM_MS = 100;
const STREAMS = 3;
const nobody = {} as RunRequests;
const NOTHING = new Uint8Array(0);
type Pieces = AsyncIterableIterator<selvage.v1.ResultsPart>;

/** Counts clients that connect and leave, and sends to all. */
class Requests implements ServiceRequests {
  registered = 0;
  gone = 0;
  listened = 0;
  left = 0;

  register: ServiceRequests['register'] = (_, stream) => {
    stream.send({ round: { round: ++this.registered } });
    return null;
  };

  lost(): void {
    this.gone++;
  }

  receive(): void {
    throw new Error('nobody has anything to say');
  }

  snapshot(): Promise<Uint8Array> {
    throw new Error('no snapshot');
  }

  listenPorts: ServiceRequests['listenPorts'] = (hear) => {
    hear({ timePs: ++this.listened, columns: blankColumns(1, [3]) });
    return () => this.left++;
  };
}

describe(
  'a stream that has lasted long enough ends, and is opened again',
  { timeout: 60_000 },
  () => {
    const requests = new Requests();
    const server = new ControlServer(nobody, requests, KEYS.token);
    let coordinator = '';
    before(async () => {
      coordinator = `127.0.0.1:${await server.listen('127.0.0.1:0', null)}`;
    });
    after(() => {
      server.close();
    });

    it('of a service, which registers anew and goes on listening', async () => {
      const rest = {
        run: 'r',
        secret: '',
        keys: KEYS,
        tls: null,
        patienceMs: 1e6,
        checkpoints: '',
      };
      const heard: number[] = [];
      await new Promise<void>((resolve, reject) => {
        const link = new CoordinatorLink({ ...rest, coordinator }, reject, SILENT_LOG, STREAM_MS);
        link.open(
          () => ({ register: { service: 1 } }),
          ({ round }) => {
            if (heard.push(round?.round ?? 0) < STREAMS) return;
            link.close();
            resolve();
          },
        );
      });
      assertRising(heard);
      assert.ok(
        requests.gone >= STREAMS - 1,
        'the coordinator knows that the old streams have ended',
      );
    });

    it('of a client that samples ports, while it does', async () => {
      const client = new CoordinatorClient(coordinator, KEYS.token, null, STREAM_MS);
      const unseen = new SnapshotCache(
        () => null,
        () => 0,
      );
      const live = new LiveFleet(client, unseen, fabricOf('examples/pair-line-rate.yaml'));
      const times: number[] = [];
      await new Promise<void>((resolve) => {
        live.listener = {
          sampled: ({ timePs }) => {
            if (times.push(timePs) === STREAMS) resolve();
          },
          changed: () => undefined,
          publish: () => undefined,
        };
        live.watched(true);
      });
      live.watched(false);
      client.close();
      assertRising(times);
      assert.ok(requests.left >= STREAMS - 1, 'who no longer listens is not told any more');
    });
  },
);

describe('results', { timeout: 60_000 }, () => {
  const outcome = { json: new Uint8Array(32 << 20), state: NOTHING, logs: NOTHING };
  const server = new ControlServer({ outcome } as RunRequests, null, KEYS.token);
  const { path, requestSerialize, responseDeserialize } = RESULTS.client;
  let client: Client | null = null;
  before(async () => {
    const port = await server.listen('127.0.0.1:0', null);
    client = controlClient(`127.0.0.1:${port}`, null);
  });
  after(() => {
    client!.close();
    server.close();
  });

  /** Results that a client has begun to read. */
  async function begun(): Promise<{ readonly cancel: () => void; readonly rest: Pieces }> {
    const token = tokenMetadata(KEYS.token);
    const stream = client!.makeServerStreamRequest(
      ...([path, requestSerialize, responseDeserialize, {}, token] as const),
    );
    stream.on('error', () => undefined);
    const rest = stream[Symbol.asyncIterator]() as Pieces;
    await rest.next();
    const cancel = (): void => {
      stream.cancel();
    };
    return { cancel, rest };
  }

  async function unread(): Promise<void> {
    while (server.isRead) await new Promise(setImmediate);
  }

  it('are waited for until a slow client has read the last of them', async () => {
    const { rest } = await begun();
    assert.ok(server.isRead);
    let octets = 0;
    for await (const { json } of rest) octets += json.length;
    assert.equal(octets, 31 << 20);
    await unread();
  });

  it('are not waited for when the client has left', async () => {
    const { cancel } = await begun();
    assert.ok(server.isRead);
    cancel();
    await unread();
  });
});

/** Each came by a stream of its own; one that ends early may have brought nothing. */
function assertRising(values: readonly number[]): void {
  assert.deepEqual(
    values,
    [...new Set(values)].sort((a, b) => a - b),
  );
}
