/** The image, on a real engine, built from this checkout; and what runs beside it in containers. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { GenericContainer, Wait } from 'testcontainers';
import { fabricOf, ROOT, run } from '../kit/emulate.js';
import { testDemo } from './demo.js';
import type { Engine } from './engine.js';
import { openEngine } from './engine.js';
import { testServedRuns } from './served-runs.js';

const IMAGE = 'selvage:0.1.0';
const SLIM = `${IMAGE}-slim`;
const SLIM_BYTES = 200e6;
const EXAMPLE = 'examples/leaf-spine-all-to-all.yaml';
const METRICS_PORT = 9464;
/** Whether virtual time has passed, by the metrics of a run in its container. */
const HAS_BEGUN = `node -e "fetch('http://localhost:${METRICS_PORT}/metrics')
  .then((reply) => reply.text()).then(console.log)" |
  grep '^selvage_virtual_time_seconds_total' | grep -v ' 0$'`;
const STARTUP_MS = 300_000;

const opened = await openEngine();
const skip = typeof opened === 'string' ? opened : false;

describe('in containers', { skip }, () => {
  const engine = opened as Engine;
  const folder = mkdtempSync(join(tmpdir(), 'selvage-containers-'));

  before(() => {
    engine.docker('build', '-q', '-f', join(ROOT, 'deploy/Dockerfile'), '-t', IMAGE, ROOT);
  });
  after(async () => {
    await engine.close();
    rmSync(folder, { recursive: true });
  });

  /** As the documentation runs it. */
  const inImage = (...words: string[]): string =>
    engine.docker('run', '--rm', '--read-only', '--tmpfs', '/tmp', '-v', '/work', IMAGE, ...words);

  it('the image gives the digest of this checkout, on a file system that it may not write', () => {
    const summary = JSON.parse(inImage('run', `/selvage/${EXAMPLE}`, '--json')) as Summary;
    assert.equal(summary.digest, digestOf([]));
  });

  it('the slim image has at most 200 MB, and gives the same digest', () => {
    const file = join(ROOT, 'deploy/slim.Dockerfile');
    engine.docker('build', '-q', '-f', file, '-t', SLIM, ROOT);
    const [{ Size }] = JSON.parse(engine.docker('image', 'inspect', SLIM)) as [ImageFacts];
    assert.ok(Size <= SLIM_BYTES, `${Size}`);
    const words = ['--rm', '--read-only', '--tmpfs', '/tmp', '-v', '/work', SLIM];
    const printed = engine.docker('run', ...words, 'run', `/selvage/${EXAMPLE}`, '--json');
    assert.equal((JSON.parse(printed) as Summary).digest, digestOf([]));
  });

  it('the image has an unprivileged user, a version and a health check', () => {
    const [{ Config }] = JSON.parse(engine.docker('image', 'inspect', IMAGE)) as [ImageFacts];
    assert.equal(Config.User, '1000:1000');
    assert.equal(Config.Labels['org.opencontainers.image.version'], '0.1.0');
    assert.equal(Config.Healthcheck.Test[0], 'CMD');
    assert.equal(Config.StopSignal, 'SIGTERM');
  });

  it('the image lists its packages', () => {
    const words = ['run', '--rm', '--entrypoint', 'cat', IMAGE, '/selvage/sbom.cdx.json'];
    const { bomFormat, components } = JSON.parse(engine.docker(...words)) as {
      bomFormat: string;
      components: { name: string; version: string }[];
    };
    assert.equal(bomFormat, 'CycloneDX');
    const names = components.map(({ name }) => name);
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    for (const name of Object.keys(dependencies)) assert.ok(names.includes(name), name);
  });

  it('the image holds what a build elsewhere makes, octet for octet', () => {
    const container = engine.docker('create', IMAGE).trim();
    const copy = join(folder, 'image');
    engine.docker('cp', `${container}:/selvage/dist/programs`, copy);
    engine.docker('rm', container);
    const here = filesOf(join(ROOT, 'dist/programs'));
    const there = filesOf(copy);
    for (const [path, hash] of there) assert.equal(hash, here.get(path), path);
    assert.ok(there.size > 100);
  });

  it('a run in the image ends on SIGTERM, and says that it was interrupted', async () => {
    const scenario = `/selvage/${EXAMPLE}`;
    const longer = ['--set', 'load.0.bytes=1GB', '--set', 'duration=1s'];
    const words = [
      'run',
      scenario,
      '--out',
      '/work/run',
      '--metrics',
      `${METRICS_PORT}`,
      ...longer,
    ];
    const container = await new GenericContainer(IMAGE)
      .withCommand(words)
      .withStartupTimeout(STARTUP_MS)
      .withWaitStrategy(Wait.forSuccessfulCommand(HAS_BEGUN))
      .start();
    await container.stop({ timeout: STARTUP_MS, remove: false });
    const target = join(folder, 'stopped');
    engine.docker('cp', `${container.getId()}:/work/run`, target);
    engine.docker('rm', '-v', container.getId());
    const summary = JSON.parse(readFileSync(join(target, 'summary.json'), 'utf8')) as Summary;
    assert.equal(summary.status, 'interrupted');
  });

  testServedRuns(IMAGE, folder);
  testDemo(engine, folder);
});

interface Summary {
  readonly digest: string;
  readonly status: string;
}

interface ImageFacts {
  readonly Size: number;
  readonly Config: {
    readonly User: string;
    readonly StopSignal: string;
    readonly Labels: Readonly<Record<string, string>>;
    readonly Healthcheck: { readonly Test: readonly string[] };
  };
}

function digestOf(set: readonly string[]): string {
  return run(fabricOf(EXAMPLE, ...set)).digest;
}

function filesOf(folder: string): Map<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
    .map((entry) => join(entry.parentPath, entry.name));
  const hash = (path: string): string =>
    createHash('sha256').update(readFileSync(path)).digest('hex');
  return new Map(paths.map((path) => [path.slice(folder.length), hash(path)]));
}
