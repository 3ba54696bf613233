/** Checkpoints in S3-compatible storage: what it must do, how it fails, and a run with it. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { selvage } from '#contracts';
import { freePort } from '../../services/cli/fleet/free-port.js';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { repeatFor } from '../../services/runtime/checkpoints/repeat.js';
import { S3CheckpointStorage } from '../../services/runtime/checkpoints/s3-checkpoint-storage.js';
import { StoreError } from '../../services/runtime/checkpoints/store-error.js';
import { s3AddressFrom } from '../../services/runtime/object-storage/s3-address.js';
import { S3Bucket } from '../../services/runtime/object-storage/s3-bucket.js';
import { getFolder, putFolder } from '../../services/runtime/object-storage/s3-folder.js';
import { fabricOf, run } from '../kit/emulate.js';
import { fleetFor, runFleet } from '../kit/fleet.js';
import type { ObjectStorage } from '../kit/object-storage.js';
import { BUCKET, Gateway, MemoryBucket, noGateway } from '../kit/object-storage.js';
import { EXAMPLE, KEY, Pods } from '../kit/pods.js';

const PATIENCE_MS = 20_000;
/** Of storage that never answers. */
const SHORT_MS = 2_000;
const WHAT = 'no answer';

function bucketAt(
  { env }: ObjectStorage,
  more: Record<string, string> = {},
  place = `s3://${BUCKET}/team`,
): S3Bucket {
  return new S3Bucket(s3AddressFrom(place, { ...env, ...more }));
}

async function using<T extends ObjectStorage>(
  start: Promise<T>,
  act: (storage: T) => Promise<void>,
): Promise<void> {
  const storage = await start;
  try {
    await act(storage);
  } finally {
    storage.stop();
  }
}

const KINDS = [
  ['that verifies signatures', false, () => MemoryBucket.start()],
  ['of versitygw', noGateway, () => Gateway.start()],
] as const;

for (const [kind, skip, start] of KINDS) {
  describe(`object storage ${kind}`, { skip }, () => {
    it('keeps objects and claims of a run apart from those of another', async () => {
      await using<ObjectStorage>(start(), async (storage) => {
        const bucket = bucketAt(storage);
        const [a, b] = [new S3CheckpointStorage(bucket, 'a'), new S3CheckpointStorage(bucket, 'b')];
        await a.open();
        assert.equal(await a.get('manifest'), null);
        await a.put('manifest', Uint8Array.of(1));
        await a.put('manifest', Uint8Array.of(2, 0, 255));
        await a.put('c1.0', Buffer.alloc(3_000_000, 7));
        await b.put('manifest', new Uint8Array(0));
        assert.deepEqual(await a.get('manifest'), Uint8Array.of(2, 0, 255));
        assert.equal((await a.get('c1.0'))?.length, 3_000_000);
        assert.equal((await b.get('manifest'))?.length, 0);
        assert.deepEqual((await a.names()).sort(), ['c1.0', 'manifest']);
        assert.ok(await a.claim('epoch-1.tag', 'one'));
        assert.ok(await a.claim('epoch-1.tag', 'one'));
        assert.equal(await a.claim('epoch-1.tag', 'two'), false);
        assert.deepEqual([await a.claims(), await b.claims()], [['epoch-1.tag'], []]);
        await a.remove('c1.0');
        await a.remove('c1.0');
        assert.deepEqual(await a.names(), ['manifest']);
        await a.clear();
        assert.deepEqual([await a.names(), await a.claims()], [[], []]);
        assert.deepEqual(await b.names(), ['manifest']);
      });
    });

    it('takes keys with any character', async () => {
      await using<ObjectStorage>(start(), async (storage) => {
        const bucket = bucketAt(storage);
        const keys = ['runs/a b+c.csv', 'runs/leaf1:p3 & <h1>.pcapng', "runs/ü~(!*')%25"];
        for (const key of keys) await bucket.put(key, Buffer.from(key));
        assert.deepEqual((await bucket.list('runs/')).sort(), [...keys].sort());
        for (const key of keys) {
          assert.equal(Buffer.from((await bucket.get(key))!).toString(), key);
          await bucket.remove(key);
        }
        assert.deepEqual(await bucket.list(''), []);
      });
    });

    it('has no such bucket, or no rights for these keys: both are final', async () => {
      await using<ObjectStorage>(start(), async (storage) => {
        const absent = bucketAt(storage, {}, 's3://nowhere');
        const final = (error: StoreError): boolean => error.isFinal;
        await assert.rejects(absent.list(''), /has no bucket nowhere: create it there$/);
        await assert.rejects(absent.put('a', Uint8Array.of(1)), /has no bucket nowhere/);
        await assert.rejects(absent.list(''), final);
        const stranger = bucketAt(storage, { AWS_SECRET_ACCESS_KEY: 'guessed' });
        const denied =
          /gives AWS_ACCESS_KEY_ID no rights to the bucket runs \(SignatureDoesNotMatch/;
        await assert.rejects(stranger.list(''), denied);
        await assert.rejects(stranger.list(''), final);
        const unknown = bucketAt(storage, { AWS_ACCESS_KEY_ID: 'nobody' });
        // Not an object that is absent, whatever the status.
        await assert.rejects(unknown.get('a'), /no rights to the bucket runs|XAdminUserNotFound/);
      });
    });

    it('has folders, whose files may be larger than a part', async () => {
      await using<ObjectStorage>(start(), async (storage) => {
        const own = mkdtempSync(join(tmpdir(), 'selvage-folder-'));
        const [from, to] = [join(own, 'from'), join(own, 'to')];
        const partOctets = 5 << 20;
        const files = new Map([
          ['small', Buffer.from('a')],
          ['none', Buffer.alloc(0)],
          ['tables/whole', randomBytes(partOctets)],
          ['tables/large.pcapng', randomBytes(2 * partOctets + 7)],
        ]);
        mkdirSync(join(from, 'tables'), { recursive: true });
        for (const [name, octets] of files) writeFileSync(join(from, name), octets);
        const bucket = bucketAt(storage, {}, `s3://${BUCKET}/team/run`);
        const options = { patienceMs: PATIENCE_MS, partOctets };
        await bucket.put('of a run before', Uint8Array.of(1));
        await putFolder(bucket, from, options);
        assert.deepEqual((await bucket.list('')).sort(), [...files.keys()].sort());
        assert.equal(await getFolder(bucket, to, options), files.size);
        for (const [name, octets] of files) {
          assert.ok(octets.equals(readFileSync(join(to, name))), name);
        }
        rmSync(own, { recursive: true });
      });
    });

    it('does not answer: requests are repeated until it does', async () => {
      await using<ObjectStorage>(start(), async (storage) => {
        const bucket = bucketAt(storage);
        await bucket.put('a', Uint8Array.of(1));
        storage.stop();
        const attempt = (): Promise<void> => bucket.put('a', Uint8Array.of(2));
        await assert.rejects(repeatFor(SHORT_MS, WHAT, attempt), /no answer for 2 s: http:.*ECONN/);
      });
    });
  });
}

describe('object storage', () => {
  it('has keys in variables, or in a profile of a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvage-keys-'));
    const file = join(folder, 'credentials');
    const profile = (name: string): string =>
      `[${name}]\naws_access_key_id = ${name}\naws_secret_access_key=s/${name}\n`;
    writeFileSync(file, `${profile('other')}\n${profile('default')}aws_session_token = t\n`);
    const keysOf = (env: NodeJS.ProcessEnv): unknown[] => {
      const all = { AWS_SHARED_CREDENTIALS_FILE: file, ...env };
      const { accessKeyId, secretAccessKey, sessionToken } = s3AddressFrom('s3://runs', all);
      return [accessKeyId, secretAccessKey, sessionToken];
    };
    assert.deepEqual(keysOf({}), ['default', 's/default', 't']);
    assert.deepEqual(keysOf({ AWS_PROFILE: 'other' }), ['other', 's/other', undefined]);
    assert.deepEqual(keysOf({ AWS_ACCESS_KEY_ID: 'own' }), ['own', 's/default', 't']);
    assert.throws(() => keysOf({ AWS_PROFILE: 'none' }), /AWS_ACCESS_KEY_ID is not set/);
    const absent = { AWS_SHARED_CREDENTIALS_FILE: join(folder, 'absent') };
    assert.throws(() => keysOf(absent), /AWS_SHARED_CREDENTIALS_FILE .*absent: ENOENT/);
    rmSync(folder, { recursive: true });
  });

  it('that holds a file of no folder is refused', async () => {
    await using(MemoryBucket.start(), async (storage) => {
      const bucket = bucketAt(storage);
      storage.objects.set('team/a/../../outside', Buffer.of(1));
      const fetched = getFolder(bucket, join(tmpdir(), 'never'), { patienceMs: PATIENCE_MS });
      await assert.rejects(fetched, /not a file of a run directory/);
    });
  });

  it('that fails for a while is tried again', async () => {
    await using(MemoryBucket.start(), async (storage) => {
      const bucket = bucketAt(storage);
      storage.failures.push(500, 503, 429, 408, 409);
      await repeatFor(PATIENCE_MS, WHAT, () => bucket.put('a', Uint8Array.of(5)));
      assert.equal(storage.failures.length, 0);
      assert.deepEqual(await bucket.get('a'), Uint8Array.of(5));
      storage.failures.push(400);
      const refused = repeatFor(PATIENCE_MS, WHAT, () => bucket.get('a'));
      await assert.rejects(refused, /, bucket runs: InternalError: m$/);
    });
  });

  it('gives lists in pages', async () => {
    await using(MemoryBucket.start(), async (storage) => {
      storage.pageLength = 2;
      const bucket = bucketAt(storage);
      const keys = ['a', 'b', 'c', 'd', 'e'];
      for (const key of keys) await bucket.put(key, new Uint8Array(0));
      assert.deepEqual(await bucket.list(''), keys);
    });
  });

  it('takes temporary credentials, and buckets in the name of the host', async () => {
    await using(MemoryBucket.start('token'), async (storage) => {
      const { AWS_ENDPOINT_URL: url = '' } = storage.env;
      // A name of which every name below it is loopback, too, where the resolver has no such rule.
      const env = { AWS_ENDPOINT_URL: url, SELVAGE_S3_STYLE: 'path' };
      await bucketAt(storage, env).put('a', Uint8Array.of(1));
      const without = bucketAt(storage, { AWS_SESSION_TOKEN: '' });
      await assert.rejects(without.get('a'), /no rights to the bucket runs \(InvalidToken/);
      const virtual = bucketAt(storage, { SELVAGE_S3_STYLE: 'virtual' });
      const answer = await virtual.get('a').catch((error: unknown) => error as StoreError);
      const isUnknown = answer instanceof StoreError && answer.message.includes('ENOTFOUND');
      assert.ok(isUnknown || storage.hosts.has(`${BUCKET}.localhost`));
    });
  });

  it('that ignores conditions lets no run begin', async () => {
    await using(MemoryBucket.start(), async (storage) => {
      storage.ignoresConditions = true;
      const claim = new S3CheckpointStorage(bucketAt(storage), 'a').claim('epoch-1', 'one');
      await assert.rejects(claim, /this object storage ignores If-None-Match/);
    });
  });

  const skip = isInstalled() ? false : 'no nats-server on the PATH';
  it('keeps the checkpoints of a run whose processes are killed', { skip }, async () => {
    const example = 'leaf-spine-all-to-all.yaml';
    const set = ['load.0.bytes=48KB'];
    const start = noGateway === false ? Gateway.start() : MemoryBucket.start();
    await using<ObjectStorage>(start, async (storage) => {
      Object.assign(process.env, storage.env);
      const more = { set, checkpoints: `s3://${BUCKET}/nightly`, checkpointSeconds: 0.2 };
      const options = fleetFor(example, 2, ['--services=2'], more);
      let struck = Promise.resolve();
      const { results } = await runFleet(options, (fleet) => {
        const isKept = (status: selvage.v1.RunStatus): boolean => status.checkpointPs > 0;
        struck = fleet.client
          .follow(() => undefined, isKept, PATIENCE_MS)
          .then(() => {
            for (const name of ['service 1', 'coordinator']) fleet.signal(name, 'SIGKILL');
          });
        struck.catch(() => undefined);
      });
      await struck;
      assert.deepEqual(results, run(fabricOf(`examples/${example}`, ...set)));
      // What a run has kept is removed when it is over.
      assert.deepEqual(await bucketAt(storage, {}, `s3://${BUCKET}`).list(''), []);
    });
  });

  it(
    'takes the run directory of a coordinator, which answers probes meanwhile',
    { skip },
    async () => {
      await using(MemoryBucket.start(), async (storage) => {
        let release = (): void => undefined;
        storage.gate = new Promise((resolve) => {
          release = resolve;
        });
        const pods = await Pods.open('stored');
        const port = await freePort();
        try {
          const words = ['--listen', pods.address, '--nats', pods.nats, '--services', '2'];
          const place = `s3://${BUCKET}/nightly/stored`;
          const out = join(pods.folder, 'run');
          const own = { SELVAGE_RUN: 'stored', SELVAGE_KEY: KEY, SELVAGE_HEALTH_PORT: `${port}` };
          const coordinator = pods.ofWords(
            ['coordinate', EXAMPLE, ...words, '--results', place, '--out', out, '--quiet'],
            { ...own, ...storage.env },
          );
          const services = [0, 1].map((number) => pods.service(number));
          await Promise.all(services.map(({ ended }) => ended));
          while (!existsSync(join(out, 'summary.json'))) await setTimeout(50);
          // Longer than the process that answered before takes to end.
          for (let tries = 0; tries < 20; tries++) {
            const answer = await fetch(`http://127.0.0.1:${port}/live`).catch(() => null);
            if (answer?.ok === true) break;
            assert.notEqual(tries, 19, 'no answer');
            await setTimeout(100);
          }
          assert.equal(storage.objects.size, 0);
          release();
          const { code, words: printed } = await coordinator.ended;
          assert.equal(code, 0, printed);
          const digest = storage.objects.get('nightly/stored/digest')!.toString().trim();
          assert.equal(digest, run(fabricOf('examples/leaf-spine-all-to-all.yaml')).digest);
          assert.deepEqual(
            [...storage.objects.keys()].sort(),
            readdirSync(out)
              .map((name) => `nightly/stored/${name}`)
              .sort(),
          );
        } finally {
          release();
          pods.close();
        }
      });
    },
  );
});
