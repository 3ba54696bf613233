/** What can be said of image and Compose without a Docker engine. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { ROOT } from '../kit/emulate.js';

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** Instructions by stage, continued lines joined. */
function stagesOf(dockerfile: string): Instruction[][] {
  const lines = dockerfile.replace(/\\\n\s*/g, '').split('\n');
  const stages: Instruction[][] = [];
  for (const line of lines.filter((text) => text !== '' && !text.startsWith('#'))) {
    const [name = '', ...words] = line.split(' ');
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, rest: words.join(' ') });
  }
  return stages;
}

describe('deploy/Dockerfile', () => {
  const stages = stagesOf(textOf('deploy/Dockerfile'));
  const last = stages.at(-1)!;
  const said = (name: string): string[] =>
    last.filter((instruction) => instruction.name === name).map(({ rest }) => rest);

  it('runs no shell, and no process as root', () => {
    const all = stages.flat();
    const words = all.filter(({ name }) => ['RUN', 'ENTRYPOINT', 'CMD'].includes(name));
    assert.deepEqual(
      words.filter(({ rest }) => !rest.startsWith('[')),
      [],
    );
    assert.deepEqual(said('USER'), ['1000:1000']);
    const [required, slim] = stagesOf(textOf('deploy/slim.Dockerfile'));
    assert.ok(required!.some(({ rest }) => rest.includes('"--omit=dev"')));
    const users = slim!.filter(({ name }) => name === 'USER').map(({ rest }) => rest);
    assert.deepEqual(users, ['1000:1000']);
    assert.match(said('HEALTHCHECK')[0]!, /CMD \["node", .*"healthy"\]$/);
  });

  it('says the version of the package', () => {
    const { version } = JSON.parse(textOf('package.json')) as { version: string };
    assert.ok(said('ARG').includes(`VERSION=${version}`));
  });

  it('copies all that a run and a rendering need', () => {
    const image = mkdtempSync(join(tmpdir(), 'selvage-image-'));
    try {
      for (const rest of said('COPY')) fill(image, rest);
      const main = join(image, 'dist/programs/selvage.js');
      const start = (...words: string[]): number | null =>
        spawnSync(process.execPath, [main, ...words], { cwd: image }).status;
      const example = join(image, 'examples/pair-line-rate.yaml');
      assert.equal(start('run', example, '--quiet'), 0);
      assert.equal(start('k8s', 'render', example, '--out', 'rendered'), 0);
      assert.equal(start('healthy'), 0);
    } finally {
      rmSync(image, { recursive: true });
    }
  });
});

/** Does what a COPY says, out of this checkout instead of the stage that built it. */
function fill(image: string, rest: string): void {
  const words = rest.split(' ').filter((word) => !word.startsWith('--'));
  const target = words.pop()!;
  // What no checkout has.
  const made = ['/work', '/selvage/sbom.cdx.json'];
  for (const word of words.filter((source) => !made.includes(source))) {
    const path = word.replace('/selvage/', '');
    const copy = target.endsWith('./') ? join(image, path) : join(image, target);
    mkdirSync(dirname(copy), { recursive: true });
    if (path === 'node_modules') symlinkSync(join(ROOT, path), copy);
    else cpSync(join(ROOT, path), copy, { recursive: true });
  }
}

interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly restart?: string;
  readonly networks: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly deploy: { readonly resources: { readonly limits: Readonly<Record<string, string>> } };
}

describe('deploy/compose.yaml', () => {
  const { services } = parse(textOf('deploy/compose.yaml'), { merge: true }) as {
    services: Record<string, ComposeService>;
  };
  const entries = Object.entries(services);

  it('gives every container as little as it needs', () => {
    for (const [name, service] of entries) {
      assert.equal(service.read_only, name !== 'nats', name);
      assert.deepEqual(service.cap_drop, ['ALL'], name);
      assert.match(service.image, /:(?!latest$)[\w.-]+$/, name);
      assert.ok('memory' in service.deploy.resources.limits, name);
    }
  });

  it('opens ports on loopback only', () => {
    const ports = entries.flatMap(([, service]) => service.ports ?? []);
    assert.deepEqual(
      ports.filter((port) => !port.startsWith('127.0.0.1:')),
      [],
    );
  });

  it('starts every service that the coordinator waits for, of one run', () => {
    const request = services['coordinator']!.command!.find((word) =>
      word.startsWith('--services='),
    );
    const parts = entries.filter(([, { command }]) => command?.[0] === 'service');
    assert.equal(request, `--services=${parts.length}`);
    const numbers = parts.map(([, { environment }]) => environment!['SELVAGE_SERVICE']);
    assert.deepEqual(numbers, [...parts.keys()].map(String));
    const keys = new Set(parts.map(([, { environment }]) => environment!['SELVAGE_KEY']));
    assert.deepEqual([...keys], [services['coordinator']!.environment!['SELVAGE_KEY']]);
  });

  it('does not run again what is over', () => {
    const { command, restart } = services['coordinator']!;
    assert.ok(command!.includes('--exit-zero'));
    assert.match(restart!, /^on-failure/);
  });

  it('draws metrics that there are', () => {
    const { panels } = JSON.parse(textOf('deploy/grafana/selvage.json')) as {
      panels: { title: string; targets: { expr: string }[] }[];
    };
    const names = [...textOf('docs/metrics.md').matchAll(/`(selvage_\w+)`/g)];
    const known = new Set(names.map(([, name]) => name!));
    assert.ok(panels.length > 0);
    for (const { title, targets } of panels) {
      const [, name] = /\((selvage_\w+)\)/.exec(targets[0]!.expr)!;
      assert.ok(known.has(name!), `${title}: ${name}`);
    }
  });

  it('has Prometheus ask where the collector answers', () => {
    const collector = parse(textOf('deploy/collector.yaml')) as {
      exporters: { prometheus: { endpoint: string } };
    };
    const { scrape_configs: jobs } = parse(textOf('deploy/prometheus.yaml')) as {
      scrape_configs: { static_configs: { targets: string[] }[] }[];
    };
    const { endpoint } = collector.exporters.prometheus;
    const asked = jobs[0]!.static_configs[0]!.targets[0]!;
    assert.equal(asked, `collector:${endpoint.split(':')[1]!}`);
  });
});
