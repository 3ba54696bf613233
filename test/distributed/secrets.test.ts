import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { selvage } from '#contracts';
import { nkeys } from '@nats-io/transport-node';
import { CoordinatorClient } from '../../services/cli/fleet/coordinator-client.js';
import { freePort } from '../../services/cli/fleet/free-port.js';
import { RunKeys } from '../../services/runtime/keys/run-keys.js';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { awaitBroker } from '../../services/runtime/links/broker.js';
import { startBroker } from '../kit/brokers.js';
import { fabricOf, ROOT, run } from '../kit/emulate.js';
import { fleetFor, runFleet } from '../kit/fleet.js';

const { ACTION_STOP } = selvage.v1.SteerRequest.Action;
const MAIN = join(ROOT, 'dist/programs/selvage.js');
const EXAMPLE = 'pair-line-rate.yaml';
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const skip = !isInstalled()
  ? 'no nats-server on the PATH'
  : hasOpenssl
    ? false
    : 'no openssl on the PATH';

describe('what may take part', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
  const at = (name: string): string => join(folder, name);
  // Short where nothing is requested of the coordinator meanwhile.
  const set = ['duration=10us'];
  const expected = run(fabricOf(`examples/${EXAMPLE}`, ...set));
  const whole = run(fabricOf(`examples/${EXAMPLE}`));
  const tls = { ca: at('ca.pem'), cert: at('own.pem'), key: at('own.key') };
  const children: ChildProcess[] = [];

  before(() => {
    makeCertificates(folder);
  });
  after(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  async function broker(...args: string[]): Promise<string> {
    const port = await freePort();
    children.push(await startBroker(port, args));
    return `nats://127.0.0.1:${port}`;
  }

  it('is shown by certificates of both sides, at the broker and at the coordinator', async () => {
    const flags = ['--tlscert', tls.cert, '--tlskey', tls.key, '--tlscacert', tls.ca];
    const url = await broker('--tlsverify', ...flags);
    const refused = fleetFor(EXAMPLE, 2, [], {
      set,
      broker: { servers: [url], tls: { ca: tls.ca } },
    });
    await assert.rejects(runFleet(refused), /cannot be reached/);
    const options = fleetFor(EXAMPLE, 2, [], {
      broker: { servers: [url], tls },
      controlTls: tls,
    });
    const health = { known: false, plain: true };
    const { results } = await runFleet(options, ({ client, identity }) => {
      const plain = new CoordinatorClient(identity.coordinator, identity.keys.token, null);
      const ask = async (): Promise<void> => {
        health.known = await client.healthy();
        if (!health.known) setTimeout(() => void ask(), 20);
        else health.plain = await plain.healthy();
      };
      void ask();
    });
    assert.deepEqual(results, whole);
    assert.deepEqual(health, { known: true, plain: false });
  });

  it('is not sent to a broker whose certificate cannot be verified, nor is it tried again', async () => {
    const url = await broker('--tls', '--tlscert', tls.cert, '--tlskey', tls.key);
    const { cert, key } = tls;
    const asked = awaitBroker({ servers: [url], tls: { cert, key } }, 'test', 600_000);
    await assert.rejects(asked, /cannot be reached: unable to verify/);
  });

  it('is shown by an NKey', async () => {
    const pair = nkeys.createUser();
    writeFileSync(at('user.nk'), pair.getSeed());
    const users = `users: [ { nkey: ${pair.getPublicKey()} } ]`;
    writeFileSync(at('broker.conf'), `authorization: { ${users} }\n`);
    const url = await broker('-c', at('broker.conf'));
    const stranger = fleetFor(EXAMPLE, 2, [], { set, broker: { servers: [url] } });
    await assert.rejects(runFleet(stranger), /refuses these credentials/);
    const known = { servers: [url], nkeyFile: at('user.nk') };
    const { results } = await runFleet(fleetFor(EXAMPLE, 2, [], { set, broker: known }));
    assert.deepEqual(results, expected);
  });

  it('is shown by credentials that an operator vouches for', async () => {
    const [operator, account, user] = [
      nkeys.createOperator(),
      nkeys.createAccount(),
      nkeys.createUser(),
    ];
    const limits = { subs: -1, data: -1, payload: -1 };
    const house = { ...limits, conn: -1, leaf: -1, imports: -1, exports: -1, wildcards: true };
    const accountClaims = claims(operator, account, { type: 'account', limits: house });
    const preload = `${account.getPublicKey()}: ${accountClaims}`;
    const trust = `operator: ${claims(operator, operator, { type: 'operator' })}`;
    writeFileSync(
      at('operator.conf'),
      `${trust}\nresolver: MEMORY\nresolver_preload: { ${preload} }\n`,
    );
    const url = await broker('-c', at('operator.conf'));
    const fleetWith = (file: string) =>
      fleetFor(EXAMPLE, 2, [], { set, broker: { servers: [url], credentialsFile: at(file) } });
    const seed = Buffer.from(user.getSeed()).toString();
    writeFileSync(
      at('known.creds'),
      credentials(claims(account, user, { type: 'user', ...limits }), seed),
    );
    const { results } = await runFleet(fleetWith('known.creds'));
    assert.deepEqual(results, expected);
    const stranger = nkeys.createAccount();
    const forged = claims(stranger, user, { type: 'user', ...limits });
    writeFileSync(at('forged.creds'), credentials(forged, seed));
    await assert.rejects(runFleet(fleetWith('forged.creds')), /refuses these credentials/);
  });

  it('is shown by a token', async () => {
    const url = await broker('--auth', 'hush');
    const known = { servers: [url], token: 'hush' };
    const { results } = await runFleet(fleetFor(EXAMPLE, 2, [], { set, broker: known }));
    assert.deepEqual(results, expected);
  });

  const noProc = existsSync('/proc/self/cmdline') ? false : 'no /proc';
  it('is in no list of processes, and in no run directory', { skip: noProc }, async () => {
    const url = await broker('--auth', 'hush-hush');
    const out = at('run');
    const words = ['run', join(ROOT, 'examples', EXAMPLE), '--services', '2', '--nats', url];
    const env = { ...process.env, SELVAGE_NATS_TOKEN: 'hush-hush' };
    const child = spawn(process.execPath, [MAIN, ...words, '--out', out, '--log', 'debug'], {
      env,
    });
    children.push(child);
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
    }
    const secrets = new Set(['hush-hush']);
    const seen = new Set<string>();
    const look = setInterval(() => {
      for (const pid of childrenOf(child.pid!)) {
        seen.add(contentOf(`/proc/${pid}/cmdline`));
        const key = /SELVAGE_KEY=(\w+)/.exec(contentOf(`/proc/${pid}/environ`))?.[1];
        if (key !== undefined) secrets.add(key);
      }
    }, 5);
    const code = await new Promise((resolve) => child.once('close', resolve));
    clearInterval(look);
    assert.equal(code, 0, printed);
    assert.equal(secrets.size, 2, 'the secret of the run was in the environment of its processes');
    assert.ok(
      [...seen].some((line) => line.includes('--listen')),
      'the coordinator was seen',
    );
    const files = readdirSync(out).map((name) => readFileSync(join(out, name), 'latin1'));
    for (const secret of secrets) {
      for (const text of [printed, ...seen, ...files]) assert.ok(!text.includes(secret));
    }
  });

  it('is shown by the token that the key of the run gives, and by nothing else', async () => {
    const refusals: string[] = [];
    const { results } = await runFleet(fleetFor(EXAMPLE, 2, []), ({ identity }) => {
      const { coordinator, secret, run: name } = identity;
      const others = ['00', '', secret, new RunKeys(`${name}0`, secret).token];
      for (const token of others) {
        const stranger = new CoordinatorClient(coordinator, token, null);
        const ask = (): void => {
          const calls = [stranger.steer(ACTION_STOP), stranger.inject('{}'), stranger.faults()];
          Promise.all(calls).catch((error: unknown) => {
            const refusal = (error as Error).message;
            if (refusal.includes('does not answer')) setTimeout(ask, 50);
            else refusals.push(refusal);
          });
        };
        ask();
      }
    });
    assert.deepEqual(refusals, new Array(4).fill('the token of the run is missing or wrong'));
    assert.deepEqual(results, whole);
  });
});

/** Processes that a process has started; Linux. */
function childrenOf(pid: number): string[] {
  return contentOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean);
}

/** Of a file of a process that may have ended. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

/** What one key says of another, signed (JSON Web Token of NATS, version 2). */
function claims(issuer: nkeys.KeyPair, subject: nkeys.KeyPair, nats: object): string {
  const encode = (value: object): string =>
    Buffer.from(JSON.stringify(value)).toString('base64url');
  const sub = subject.getPublicKey();
  const body = { jti: sub, iat: 0, iss: issuer.getPublicKey(), name: 'test', sub };
  const head = encode({ typ: 'JWT', alg: 'ed25519-nkey' });
  const signed = `${head}.${encode({ ...body, nats: { version: 2, ...nats } })}`;
  return `${signed}.${Buffer.from(issuer.sign(Buffer.from(signed))).toString('base64url')}`;
}

/** A credentials file, as tools of NATS write it. */
function credentials(token: string, seed: string): string {
  const lines = (name: string, text: string): string =>
    `-----BEGIN ${name}-----\n${text}\n------END ${name}------\n\n`;
  return lines('NATS USER JWT', token) + lines('USER NKEY SEED', seed);
}

/** An authority, and a certificate of loopback for both sides. */
function makeCertificates(folder: string): void {
  const openssl = (...args: string[]): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  };
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    ...['req', '-x509', ...curve, '-days', '2', '-subj', '/CN=test authority'],
    ...['-keyout', 'ca.key', '-out', 'ca.pem'],
  );
  openssl('req', ...curve, '-subj', '/CN=selvage', '-keyout', 'own.key', '-out', 'own.csr');
  writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
  openssl(
    ...['x509', '-req', '-in', 'own.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
    ...['-days', '2', '-extfile', 'names', '-out', 'own.pem'],
  );
}
