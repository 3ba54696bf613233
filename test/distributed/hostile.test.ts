import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { selvage as contracts } from '#contracts';
import { freePort } from '../../services/cli/fleet/free-port.js';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { refusal } from '../../services/coordinator/refusal.js';
import { Coordinator } from '../../services/coordinator/coordinator.js';
import { RandomStream } from '../../services/engine/kernel/random.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { planPartitions } from '../../services/fabric/placement/partition-plan.js';
import type { ServicePlan } from '../../services/fabric/placement/service-plan.js';
import { planServices } from '../../services/fabric/placement/service-plan.js';
import { placeInServices } from '../../services/fabric/placement/parts.js';
import { placeEachAlone } from '../../services/fabric/placement/placement.js';
import { DirectoryCheckpointStorage } from '../../services/runtime/checkpoints/directory-checkpoint-storage.js';
import {
  decodeSnapshot,
  encodeSnapshot,
  packState,
  packStates,
} from '../../services/runtime/checkpoints/snapshots.js';
import { CheckpointStore } from '../../services/runtime/checkpoints/store.js';
import type { ChannelKeys } from '../../services/runtime/keys/run-keys.js';
import { RunKeys } from '../../services/runtime/keys/run-keys.js';
import { SyncProtocol } from '../../services/runtime/partition/sync-protocol.js';
import {
  decodeMessage,
  encodeMessage,
  isAuthentic,
  PROTOCOL,
} from '../../services/runtime/partition/messages.js';
import { Partition } from '../../services/runtime/partition/partition.js';
import { Cluster, CLUSTER_KEYS } from '../../services/hunt/worlds/services-in-memory.js';
import { LAYOUT, SILENT_LOG, streamTo } from '../kit/coordinator-script.js';
import { LiveFaults } from '../../services/runtime/live-faults.js';
import { startBroker } from '../kit/brokers.js';
import { fabricOf, ROOT, run, sourceOf } from '../kit/emulate.js';
import { fleetFor, runFleet } from '../kit/fleet.js';
import { damaged, noise, Stranger } from '../kit/stranger.js';

const EXAMPLE = 'pair-line-rate.yaml';
const skip = isInstalled() ? false : 'no nats-server on the PATH';
const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
const NO_SALT = new Uint8Array(0);
const keysOf = (epoch: number): ChannelKeys => CLUSTER_KEYS.channels(epoch, NO_SALT);
after(() => {
  rmSync(folder, { recursive: true });
});

describe('messages without a valid sender', () => {
  const fabric = fabricOf(`examples/${EXAMPLE}`, 'duration=10us');

  it('are counted and ignored: noise, cut and damaged messages, strangers, other epochs', () => {
    const random = new RandomStream(1, 'hostile');
    const cluster = new Cluster(fabric, placeEachAlone(fabric.topology), random);
    const [protocol] = cluster.protocols;
    const key = keysOf(1)(1, 0);
    const frames = new Uint8Array(8 + 3 * 16);
    const honest = {
      protocol: PROTOCOL,
      epoch: 1,
      from: 1,
      to: 0,
      sequence: 1,
      promisePs: 1e12,
      frames,
    };
    const octets = encodeMessage(honest, key);
    const forged = [
      ...Array.from({ length: octets.length }, (_, length) => octets.subarray(0, length)),
      ...Array.from({ length: 2000 }, () => damaged(octets, random)),
      ...Array.from({ length: 2000 }, () => noise(random)),
      encodeMessage(honest, new RunKeys('cluster', '9').channels(1, NO_SALT)(1, 0)),
      // Of another run of this name: its salt was another.
      encodeMessage(honest, CLUSTER_KEYS.channels(1, Uint8Array.of(1))(1, 0)),
      encodeMessage(honest, keysOf(1)(0, 1)),
      encodeMessage(honest, keysOf(2)(1, 0)),
      encodeMessage({ ...honest, epoch: 2 }, keysOf(2)(1, 0)),
    ];
    for (const message of forged) protocol!.receive(message);
    const { ignored } = protocol!;
    assert.equal(ignored.malformed + ignored.stranger + ignored.epoch, forged.length);
    assert.ok(ignored.epoch > 0, 'of another epoch');
    const before = { ...ignored };
    // Signed, and yet not for this protocol, or not possible.
    for (const change of [{ protocol: PROTOCOL + 1 }, { from: 7 }, { to: 1 }]) {
      protocol!.receive(encodeMessage({ ...honest, ...change }, key));
    }
    assert.equal(ignored.stranger - before.stranger, 3);
    protocol!.receive(encodeMessage({ ...honest, sequence: 5 }, key));
    for (const change of [
      { frames: frames.subarray(1) },
      { frames: frames.slice().fill(255) },
      { control: [{ link: 3, atPs: 0, octets: new Uint8Array(1) }] },
    ]) {
      protocol!.receive(encodeMessage({ ...honest, ...change }, key));
    }
    assert.equal(ignored.malformed - before.malformed, 3);
    cluster.run();
    assert.deepEqual(cluster.results(), run(fabric));
  });

  it('are refused unless their MAC is right, whatever is changed', () => {
    const random = new RandomStream(2, 'check');
    const key = keysOf(1)(1, 0);
    const fields = { protocol: PROTOCOL, sequence: 3, frames: new Uint8Array(640) };
    const octets = encodeMessage(fields, key);
    assert.equal(decodeMessage(octets)?.sequence, 3);
    assert.ok(isAuthentic(octets, key));
    for (let i = 0; i < 5000; i++) {
      const changed = damaged(octets, random);
      assert.ok(decodeMessage(changed) === null || !isAuthentic(changed, key));
    }
  });

  it('are refused when they are sent again, or back, and have nothing sent again', () => {
    const [plan] = planPartitions(fabric, placeEachAlone(fabric.topology));
    const part = new Partition(plan!);
    const sent: Uint8Array[] = [];
    const port = {
      send: (_: number, octets: Uint8Array) => sent.push(octets),
      report: () => undefined,
      gathered: () => undefined,
    };
    const protocol = new SyncProtocol(part, 0, port, { maxPayload: 1 << 20, maxKept: 1 << 24 });
    protocol.begin({ number: 1, keys: keysOf(1) }, part);
    const probe = encodeMessage(
      { protocol: PROTOCOL, epoch: 1, from: 1, to: 0, bare: 1, probe: true },
      keysOf(1)(1, 0),
    );
    for (let i = 0; i < 10; i++) protocol.receive(probe);
    assert.deepEqual([sent.length, protocol.ignored.repeated], [1, 9]);
    protocol.receive(sent[0]!);
    assert.deepEqual([sent.length, protocol.ignored.stranger], [1, 1]);
    // Everything returns to a checkpoint: what was sent before is void.
    protocol.begin({ number: 2, keys: keysOf(2) }, part);
    protocol.receive(probe);
    assert.deepEqual([sent.length, protocol.ignored.epoch], [1, 1]);
  });
});

const plansOf = (fabric: Fabric): ServicePlan[] =>
  planServices(fabric, { placement: placeEachAlone(fabric.topology), threads: 1, jams: false });

describe('a coordinator', () => {
  const { loaded, fabric } = sourceOf(`examples/${EXAMPLE}`, 'duration=10us');
  const plans = plansOf(fabric);
  const options = {
    run: 'r',
    version: '1',
    check: false,
    checkpointMs: 1e9,
    patienceMs: 1e6,
    roundLength: null,
    layout: LAYOUT,
    log: SILENT_LOG,
  };
  const make = (name: string): Coordinator => {
    const store = new CheckpointStore(new DirectoryCheckpointStorage(join(folder, name)));
    return new Coordinator(new LiveFaults(loaded, fabric), plans, store, options);
  };
  const register = { protocol: PROTOCOL, run: 'r', service: 0, version: '1', incarnation: 'a' };
  const deaf = streamTo(() => undefined);

  it('refuses services of another protocol, version or run, and a second of one number', () => {
    const coordinator = make('refuses');
    const refused = (change: object): string =>
      coordinator.register({ ...register, ...change }, deaf)?.reason ?? 'accepted';
    assert.match(refused({ protocol: 9 }), /protocol 9 is not understood here/);
    assert.match(refused({ version: '2' }), /version 2, the run of 1/);
    assert.match(refused({ run: 'other' }), /this is run r/);
    assert.match(refused({ service: 5 }), /this run has 2 services/);
    const two = planServices(fabric, {
      placement: placeInServices(fabric, 1),
      ...{ threads: 2, jams: false },
    });
    assert.match(
      refusal(
        { ...register, threads: 1 },
        two.map((plan) => ({ plan })),
        options,
      )!.reason,
      /the run has 2 threads for this service, which may have 1/,
    );
    assert.equal(
      refusal(
        { ...register, threads: 2 },
        two.map((plan) => ({ plan })),
        options,
      ),
      null,
    );
    assert.equal(refused({}), 'accepted');
    assert.match(refused({ incarnation: 'b' }), /service 0 is already there/);
    coordinator.fail('the test is over');
  });

  it('sends a service home that comes when all is over', () => {
    const coordinator = make('over');
    coordinator.fail('the test is over');
    const heard: contracts.v1.ToService.$Properties[] = [];
    assert.equal(
      coordinator.register(
        register,
        streamTo((message) => heard.push(message)),
      ),
      null,
    );
    assert.deepEqual(heard, [{ leave: {} }]);
  });

  it('fails plainly when another one drives the run', async () => {
    const both = [make('two'), make('two')];
    for (const coordinator of both) {
      await coordinator.recall();
      for (const service of [0, 1]) coordinator.register({ ...register, service }, deaf);
    }
    const { PHASE_FAILED } = contracts.v1.RunStatus.Phase;
    const failed = await new Promise<string>((resolve) => {
      for (const coordinator of both) {
        coordinator.watch(({ phase, detail }) => {
          if (phase === PHASE_FAILED) resolve(detail ?? '');
        });
      }
    });
    assert.match(failed, /another coordinator drives this run/);
    for (const coordinator of both) coordinator.fail('the test is over');
  });
});

describe('a checkpoint that is being committed', () => {
  it('is the one to return to when a service is lost before that is done', async () => {
    const { loaded, fabric } = sourceOf(`examples/${EXAMPLE}`, 'duration=10us');
    const plans = plansOf(fabric);
    const checkpointStorage = new DirectoryCheckpointStorage(join(folder, 'slow'));
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const put = checkpointStorage.put.bind(checkpointStorage);
    checkpointStorage.put = async (name, octets) => {
      if (name === 'manifest') await released;
      await put(name, octets);
    };
    const coordinator = new Coordinator(
      new LiveFaults(loaded, fabric),
      plans,
      new CheckpointStore(checkpointStorage),
      {
        run: 'r',
        version: '1',
        check: false,
        checkpointMs: 0,
        patienceMs: 1e6,
        roundLength: null,
        layout: LAYOUT,
        log: SILENT_LOG,
      },
    );
    const heard: contracts.v1.ToService.$Properties[] = [];
    const next = async <K extends 'assignment' | 'round' | 'save'>(
      kind: K,
    ): Promise<NonNullable<contracts.v1.ToService.$Properties[K]>> => {
      for (;;) {
        const found = heard.find((message) => message[kind]);
        if (found !== undefined) {
          heard.length = 0;
          return found[kind]!;
        }
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    };
    const hear = streamTo((message) => heard.push(message));
    const mortal = streamTo(() => undefined);
    const register = { protocol: PROTOCOL, run: 'r', service: 0, version: '1', incarnation: 'a' };
    const fromBoth = (message: contracts.v1.FromService.$Properties): void => {
      for (const service of [0, 1]) {
        coordinator.receive(service, new contracts.v1.FromService(message));
      }
    };
    coordinator.register(register, hear);
    coordinator.register({ ...register, service: 1 }, mortal);
    const { epoch } = await next('assignment');
    fromBoth({ ready: { epoch: epoch!, nextPs: 0 } });
    const { round } = await next('round');
    fromBoth({ report: { epoch: epoch!, round: round!, nextPs: 1e6, handedOverPs: 1e6 } });
    const { checkpoint } = await next('save');
    const hash = Uint8Array.of(1);
    fromBoth({ saved: { epoch: epoch!, checkpoint: checkpoint!, hash } });
    coordinator.lost(1, mortal);
    coordinator.register({ ...register, service: 1, incarnation: 'b' }, mortal);
    release();
    assert.equal((await next('assignment')).from?.checkpoint, checkpoint);
    coordinator.fail('the test is over');
  });
});

describe('a snapshot', () => {
  const fabric = fabricOf(`examples/${EXAMPLE}`, 'duration=10us');
  const [plan] = planPartitions(fabric, placeEachAlone(fabric.topology));
  const planHash = Uint8Array.of(1);
  const origin = { run: 'r', epoch: 1, boundPs: 5, service: 0, planHash };
  const { octets, hash } = encodeSnapshot(
    origin,
    packStates([packState(new Partition(plan!).save())]),
  );
  const wanted = { ...origin, stateHash: hash };

  it('is believed as it was written, and not when it was changed or belongs elsewhere', () => {
    assert.ok(decodeSnapshot(octets, wanted)[0]!.devices.length > 0);
    assert.throws(() => decodeSnapshot(octets, { ...wanted, run: 'q' }), /belongs to r\/0/);
    assert.throws(
      () => decodeSnapshot(octets, { ...wanted, planHash: Uint8Array.of(2) }),
      /another scenario or placement/,
    );
    for (const change of [{ epoch: 2 }, { boundPs: 6 }]) {
      const attempt = (): unknown => decodeSnapshot(octets, { ...wanted, ...change });
      assert.throws(attempt, /of epoch 1 at 5 ps, not of its manifest/);
    }
    assert.throws(
      () => decodeSnapshot(octets, { ...wanted, stateHash: Uint8Array.of(1) }),
      /not the one that its manifest names/,
    );
    const random = new RandomStream(3, 'snapshot');
    for (let i = 0; i < 500; i++) {
      assert.throws(() => decodeSnapshot(damaged(octets, random), wanted));
    }
  });
});

describe('a broker', { skip }, () => {
  const selvage = (
    args: readonly string[],
    env: object = {},
  ): { status: number; error: string } => {
    const command = [join(ROOT, 'dist/programs/selvage.js'), 'run', ...args];
    const { status, stderr } = spawnSync(process.execPath, command, {
      encoding: 'utf8',
      env: { ...process.env, ...env },
    });
    return { status: status!, error: stderr };
  };
  const scenario = join(ROOT, 'examples', EXAMPLE);

  it('that is not there, or not named rightly, is one error', () => {
    const away = selvage([scenario, '--nats', 'nats://127.0.0.1:1']);
    assert.equal(away.status, 2);
    assert.match(away.error, /^the broker at nats:\/\/127.0.0.1:1 cannot be reached: .*\n$/);
    const wrong = selvage([scenario, '--nats', 'http://x']);
    assert.match(wrong.error, /^--nats http:\/\/x: not a broker; write it like nats:/);
    const stray: [string[], RegExp][] = [
      [['--processes', '--nats-user', 'ann'], /^--nats-user is for a broker that exists: --nats/],
      [['--patience', '3'], /^--patience is for runs in several processes: add --processes\n$/],
      [['--nats', 'nats://x', '--nats-cert', scenario], /^--nats-cert and --nats-key go together/],
      [['--nats', 'nats://x', '--nats-ca', '/none.pem'], /^\/none.pem: there is no such file\n$/],
      [['--processes', '--checkpoints', scenario], /^--checkpoints .*: EEXIST: [^\n]*\n$/],
    ];
    for (const [words, expected] of stray) {
      const said = selvage([scenario, ...words]);
      assert.deepEqual([said.status, expected.test(said.error)], [2, true], said.error);
    }
    const none = selvage([scenario, '--processes'], { PATH: '' });
    assert.equal(none.status, 2);
    assert.match(none.error, /apt-get install nats-server[^]*brew install[^]*docker run/);
  });

  it('that refuses credentials, or has no JetStream, is one error; with them it serves', async () => {
    const port = await freePort();
    const server = await startBroker(port, ['--user', 'ann', '--pass', 'secret']);
    try {
      const named = [scenario, '--nats', `nats://127.0.0.1:${port}`, '--out', join(folder, 'auth')];
      const refused = selvage([...named, '--nats-user', 'bob']);
      assert.equal(refused.status, 2);
      assert.match(refused.error, /refuses these credentials/);
      const env = { SELVAGE_NATS_PASSWORD: 'secret' };
      const ann = [...named, '--nats-user', 'ann', '--quiet'];
      const noStore = selvage([...ann, '--checkpoints', 'jetstream'], env);
      assert.equal(noStore.status, 2);
      assert.match(noStore.error, /the broker has no JetStream/);
      assert.doesNotMatch(refused.error + noStore.error, /secret/);
      assert.equal(selvage(ann, env).status, 0);
    } finally {
      server.kill();
    }
  });

  it('that carries what a stranger forges, replays and floods changes nothing', async () => {
    const port = await freePort();
    const server = await startBroker(port, ['-js', '-sd', join(folder, 'overheard')]);
    try {
      const broker = { servers: [`nats://127.0.0.1:${port}`] };
      const stranger = await Stranger.at(broker.servers);
      const more = { broker, checkpoints: 'jetstream' };
      const options = fleetFor('incast-pfc.yaml', 2, ['--services', '2'], more);
      let secrets: Buffer[] = [];
      const { results } = await runFleet(options, ({ identity: { run, secret, keys } }) => {
        secrets = [secret, keys.token].flatMap((text) => [
          Buffer.from(text),
          Buffer.from(text, 'hex'),
        ]);
        stranger.flood(run, 2);
      });
      await stranger.leave();
      assert.deepEqual(results, run(fabricOf('examples/incast-pfc.yaml')));
      // Frames, objects of the store, and claims.
      for (const subject of ['selvage', '$O', '$KV'])
        assert.ok(stranger.subjects.has(subject), subject);
      for (const octets of stranger.overheard) {
        for (const secret of secrets) assert.ok(!Buffer.from(octets).includes(secret));
      }
    } finally {
      server.kill();
    }
  });
});
