/** A package registry on loopback with the packages of this checkout's `node_modules`. */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { ROOT } from './emulate.js';

export interface Registry {
  readonly url: string;
  close(): void;
}

/** Serves the one version of each package that is installed here, packed when it is asked for. */
export async function startRegistry(): Promise<Registry> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url!.slice(1));
    const isTarball = path.endsWith('.tgz');
    const name = path.replace(/\/-\/.*$/, '');
    const folder = join(ROOT, 'node_modules', name);
    if (request.method !== 'GET' || !existsSync(join(folder, 'package.json'))) {
      response.writeHead(404).end('{}');
    } else if (isTarball) {
      response.end(packed(folder));
    } else {
      response.end(JSON.stringify(described(name, folder, url)));
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, close: () => server.close() };
}

function described(name: string, folder: string, url: string): object {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly scripts?: Readonly<Record<string, string>>;
  };
  const { version, scripts = {} } = manifest;
  const hasInstallScript = ['preinstall', 'install', 'postinstall'].some((each) => each in scripts);
  const dist = { tarball: `${url}/${name}/-/${version}.tgz` };
  const versions = { [version]: { ...manifest, hasInstallScript, dist } };
  return { name, 'dist-tags': { latest: version }, versions };
}

function packed(folder: string): Buffer {
  const options = ['--transform', 's|^\\.|package|', '--exclude', './node_modules'];
  const { status, stdout } = spawnSync('tar', ['-cz', '-C', folder, ...options, '.'], {
    maxBuffer: 1e9,
  });
  if (status !== 0) throw new Error(`tar failed for ${folder}`);
  return stdout;
}
