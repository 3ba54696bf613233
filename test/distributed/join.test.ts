/** A run whose coordinator and services were started one by one, as pods are. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { PS_PER_US } from '../../services/engine/units/time.js';
import { fabricOf, run } from '../kit/emulate.js';
import type { Container, Manifest } from '../kit/manifests.js';
import { manifestsOf } from '../kit/manifests.js';
import { ACCESS } from '../kit/object-storage.js';
import type { Ended } from '../kit/pods.js';
import { EXAMPLE, KEY, MAIN, Pods, Running } from '../kit/pods.js';

const skip = isInstalled() ? false : 'no nats-server on the PATH';
const NATS = ['--nats', 'nats://127.0.0.1:1'];

/** Arguments, environment, and the error line. */
const WRONG: readonly (readonly [string, string[], NodeJS.ProcessEnv, string])[] = [
  [
    'an address',
    ['coordinate', EXAMPLE, '--listen', 'nowhere', ...NATS],
    {},
    '--listen nowhere: not an address; write it like 0.0.0.0:7400',
  ],
  [
    'no broker',
    ['coordinate', EXAMPLE],
    {},
    '--nats names the broker that services started elsewhere share',
  ],
  [
    'a key',
    ['coordinate', EXAMPLE, ...NATS],
    { SELVAGE_KEY: 'secret' },
    'SELVAGE_KEY must be 32 or more hexadecimal digits',
  ],
  [
    'a number',
    ['service', '--join', 'coordinator:7400', '--number', 'one', ...NATS],
    {},
    '--number one: not a number from 0 up',
  ],
  [
    'a control plane that others can read',
    ['coordinate', EXAMPLE, ...NATS],
    {},
    '--listen 0.0.0.0:7400: not on loopback, and not encrypted; ' +
      'add --control-ca, --control-cert and --control-key, or accept it with --insecure',
  ],
  [
    'a coordinator that others can read',
    ['service', '--join', 'coordinator:7400', '--number', '1', ...NATS],
    {},
    '--join coordinator:7400: not on loopback, and not encrypted; ' +
      'add --control-ca, --control-cert and --control-key, or accept it with --insecure',
  ],
  [
    'a broker that others can read',
    ['service', '--number', '1'],
    { SELVAGE_NATS_URL: 'nats://broker:4222' },
    '--nats nats://broker:4222: not on loopback, and not encrypted; ' +
      'write tls://… or add --nats-ca, or accept it with --insecure',
  ],
  [
    'checkpoints that others can read on their way',
    ['service', '--number', '1', ...NATS, '--checkpoints', 's3://runs'],
    { ...ACCESS, AWS_ENDPOINT_URL: 'http://storage:9000' },
    '--checkpoints: http://storage:9000 is not on loopback, and not encrypted; ' +
      'write https://… in AWS_ENDPOINT_URL, or accept it with --insecure',
  ],
  [
    'a bucket without keys',
    ['coordinate', EXAMPLE, ...NATS, '--insecure', '--checkpoints', 's3://runs'],
    { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: '' },
    '--checkpoints s3://runs: AWS_SECRET_ACCESS_KEY is not set; requests are signed with it, ' +
      'or with what AWS_SHARED_CREDENTIALS_FILE has',
  ],
  ['no coordinator', ['service', '--number', '1', ...NATS], {}, 'SELVAGE_COORDINATOR is not set'],
];

/** A duration that the first checkpoint exceeds. */
const SHORT_US = 1;
const BRIEF = 'load.0.bytes=4KB';
const FINE: Ended = { code: 0, words: '' };

describe('services that are started elsewhere', { skip }, () => {
  const { digest } = run(fabricOf('examples/leaf-spine-all-to-all.yaml'));
  /** Of a load that is short, where nothing happens to the run on its way. */
  const brief = run(fabricOf('examples/leaf-spine-all-to-all.yaml', BRIEF)).digest;
  const opened: Pods[] = [];
  const open = async (name: string): Promise<Pods> => {
    const pods = await Pods.open(name);
    opened.push(pods);
    return pods;
  };
  after(() => {
    for (const pods of opened) pods.close();
  });

  // One that leaves 1 is below.
  it('join, give the digest of one process, and leave 0 with --exit-zero', async () => {
    const pods = await open('joined');
    // In any order.
    const bound = '[{ metric: completion.max, load: shuffle, max: 1ns }]';
    const words = ['--seed', '1', '--set', BRIEF, '--set', `expect=${bound}`, '--exit-zero'];
    const begun = [pods.service(1), pods.coordinator(...words)];
    // There is nothing for it to do, and nothing is wrong.
    const surplus = await pods.service(2).ended;
    const reason = 'this run has 2 services, from 0 to 1: not needed';
    assert.deepEqual(surplus, { code: 0, words: `service 2: ${reason}\n` });
    const all = [...begun, pods.service(0)];
    const ends = await Promise.all(all.map(({ ended }) => ended));
    const [first, coordinator, last] = ends;
    assert.deepEqual([first, coordinator!.code, last], [FINE, 0, FINE], coordinator!.words);
    assert.equal(pods.digest(), brief);
  });

  it('outlive a coordinator that is evicted, and one of them another that is deleted', async () => {
    const pods = await open('evicted');
    const kept = pods.service(0);
    const deleted = pods.service(1);
    const evicted = pods.coordinator('--checkpoint-every', '0.1');
    await pods.untilItRuns();
    // A code that is not 0: an indexed Job must not take its part for done.
    assert.deepEqual(await deleted.kill('SIGTERM'), { code: 143, words: '' });
    const again = pods.service(1);
    await pods.untilItRuns();
    assert.deepEqual(await evicted.kill('SIGTERM'), { code: 143, words: '' });
    const next = pods.coordinator('--checkpoint-every', '0.1');
    const [last, ...services] = await Promise.all([next.ended, kept.ended, again.ended]);
    assert.deepEqual(last, FINE);
    for (const { code, words } of services) {
      assert.equal(code, 0);
      assert.match(words, /^\S+ warn service \d: the coordinator is away\n$/);
    }
    assert.equal(pods.digest(), digest);
  });

  it('are continued by another number of them, with other threads', async () => {
    const pods = await open('repartitioned');
    const before = [pods.service(0), pods.service(1)];
    const evicted = pods.coordinator('--checkpoint-every', '0.1');
    await pods.until(({ checkpointPs }) => checkpointPs > 0);
    assert.deepEqual(await evicted.kill('SIGTERM'), { code: 143, words: '' });
    await Promise.all(before.map((service) => service.kill('SIGTERM')));
    const next = pods.coordinator('--services', '1', '--threads', '2', '--log', 'info');
    const after = [pods.service(0)];
    const [last, ...ends] = await Promise.all([next, ...after].map(({ ended }) => ended));
    assert.deepEqual(ends, [FINE]);
    assert.match(last!.words, /epoch begins.* checkpoint=c1-\d+r .*virtualPs=[1-9]/);
    assert.equal(pods.digest(), digest);
  });

  it('begin anew under a name that another scenario has had', async () => {
    const pods = await open('renamed');
    const before = [pods.service(0), pods.service(1)];
    const evicted = pods.coordinator('--checkpoint-every', '0.1');
    await pods.until(({ checkpointPs }) => checkpointPs > SHORT_US * PS_PER_US);
    await evicted.kill('SIGTERM');
    await Promise.all(before.map((service) => service.kill('SIGTERM')));
    const short = `duration=${SHORT_US}us`;
    const next = pods.coordinator('--set', short, '--log', 'warn');
    const all = [next, pods.service(0), pods.service(1)];
    const [{ words }] = (await Promise.all(all.map(({ ended }) => ended))) as [Ended];
    assert.match(words, /warn coordinator: the store has another scenario under the name/);
    assert.equal(pods.digest(), run(fabricOf('examples/leaf-spine-all-to-all.yaml', short)).digest);
  });

  it('are not waited for by a coordinator that is started again when all is over', async () => {
    const pods = await open('over');
    const words = ['--set', BRIEF, '--set', 'expect=[{ metric: lossless-drops, min: 1 }]'];
    const all = [pods.coordinator(...words), pods.service(0), pods.service(1)];
    const [failed, ...homes] = await Promise.all(all.map(({ ended }) => ended));
    assert.deepEqual(homes, [FINE, FINE]);
    assert.equal(failed!.code, 1);
    rmSync(join(pods.folder, 'run'), { recursive: true });
    const { code } = await pods.coordinator(...words).ended;
    assert.equal(code, 1);
    assert.equal(pods.digest(), brief);
    // It has gone, and what it left in the store is all that there is to find.
    assert.deepEqual(await pods.service(0, '--patience', '0.5').ended, FINE);
  });

  it('fail when no coordinator comes', async () => {
    const pods = await open('forsaken');
    const { code, words } = await pods.service(0, '--patience', '0.5').ended;
    assert.equal(code, 3);
    assert.match(words, /the coordinator has been away for 0.5 s/);
  });

  it('do what rendered manifests have pods do', async () => {
    const pods = await Pods.withoutBroker('rendered');
    opened.push(pods);
    const folder = join(pods.folder, 'rendered');
    const words = [MAIN, 'k8s', 'render', EXAMPLE, '--out', folder, '--services', '2'];
    assert.equal(spawnSync(process.execPath, words).status, 0);
    const all = manifestsOf(folder);
    const run = 'leaf-spine-all-to-all';
    const tls = mounted(all, `${run}-tls`, '/tls', join(pods.folder, 'tls'));
    const key = mounted(all, `${run}-key`, '/key', join(pods.folder, 'key'));
    pods.startBroker('--config', join(tls, 'nats.conf'));
    const spoken = (job: string): string[] =>
      podOf(all, `${run}-${job}`).args.map((word) =>
        word
          .replace(`nats://${run}-nats:4222`, byName(pods.nats))
          .replace(/(0\.0\.0\.0|[-\w]+-coordinator):7400/, byName(pods.address))
          .replace('=/tls/', `=${tls}/`)
          .replace('/scenario/scenario.yaml', EXAMPLE),
      );
    const env = {
      SELVAGE_RUN: run,
      SELVAGE_KEY_FILE: join(key, 'SELVAGE_KEY'),
    };
    assert.deepEqual(podOf(all, `${run}-services`).env.slice(0, 2), [
      { name: 'SELVAGE_RUN', value: env.SELVAGE_RUN },
      { name: 'SELVAGE_KEY_FILE', value: '/key/SELVAGE_KEY' },
    ]);
    const services = [0, 1].map((index) =>
      pods.ofWords(spoken('services'), { ...env, SELVAGE_SERVICE: `${index}` }),
    );
    const out = ['--out', join(pods.folder, 'run')];
    const started = [pods.ofWords([...spoken('coordinator'), ...out], env), ...services];
    assert.deepEqual(await Promise.all(started.map(({ ended }) => ended)), [FINE, FINE, FINE]);
    assert.equal(pods.digest(), digest);
  });

  for (const [what, words, env, said] of WRONG) {
    it(`say what is wrong: ${what}`, async () => {
      const child = spawn(process.execPath, [MAIN, ...words], {
        env: { ...process.env, SELVAGE_RUN: 'wrong', SELVAGE_KEY: KEY, ...env },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      assert.deepEqual(await new Running(child).ended, { code: 2, words: `${said}\n` });
    });
  }
});

/** Certificates have names. */
function byName(address: string): string {
  return address.replace('127.0.0.1', 'localhost');
}

/** The files of a Secret in a folder of this machine, instead of where pods have them. */
function mounted(all: readonly Manifest[], name: string, at: string, folder: string): string {
  const { stringData } = all.find(
    ({ kind, metadata }) => kind === 'Secret' && metadata.name === name,
  )!;
  mkdirSync(folder);
  for (const [file, text] of Object.entries(stringData!)) {
    writeFileSync(join(folder, file), text.replaceAll(`${at}/`, `${folder}/`));
  }
  return folder;
}

function podOf(all: readonly Manifest[], job: string): Container {
  const found = all.find(({ kind, metadata }) => kind === 'Job' && metadata.name === job);
  return found!.spec!.template!.spec.containers[0]!;
}
