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

/** Serves the versions of each package that are installed here, packed when they are asked for. */
export async function startRegistry(): Promise<Registry> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url!.slice(1));
    const [name = '', tarball] = path.split('/-/');
    const versions = request.method === 'GET' ? versionsOf(name) : new Map<string, string>();
    if (versions.size === 0) {
      response.writeHead(404).end('{}');
    } else if (tarball !== undefined) {
      response.end(packed(versions.get(tarball.replace(/\.tgz$/, ''))!));
    } else {
      response.end(JSON.stringify(described(name, versions, url)));
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, close: () => server.close() };
}

interface Manifest {
  readonly version: string;
  readonly scripts?: Readonly<Record<string, string>>;
}

/** Folders of a package by version; the first is that of the checkout itself. */
function versionsOf(name: string): Map<string, string> {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version: string }>>;
  };
  const found = Object.entries(lock.packages)
    .filter(([path]) => path.endsWith(`node_modules/${name}`) && existsSync(join(ROOT, path)))
    .sort(([a], [b]) => a.length - b.length);
  return new Map(found.reverse().map(([path, { version }]) => [version, join(ROOT, path)]));
}

function described(name: string, folders: ReadonlyMap<string, string>, url: string): object {
  const versions = Object.fromEntries(
    [...folders].map(([version, folder]) => {
      const file = join(folder, 'package.json');
      const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
      const { scripts = {} } = manifest;
      const hasInstallScript = ['preinstall', 'install', 'postinstall'].some((s) => s in scripts);
      const dist = { tarball: `${url}/${name}/-/${version}.tgz` };
      return [version, { ...manifest, hasInstallScript, dist }];
    }),
  );
  return { name, 'dist-tags': { latest: [...folders.keys()].at(-1) }, versions };
}

function packed(folder: string): Buffer {
  const options = ['--transform', 's|^\\.|package|', '--exclude', './node_modules'];
  const { status, stdout } = spawnSync('tar', ['-cz', '-C', folder, ...options, '.'], {
    maxBuffer: 1e9,
  });
  if (status !== 0) throw new Error(`tar failed for ${folder}`);
  return stdout;
}
