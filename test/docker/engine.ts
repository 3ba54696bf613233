import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ROOT } from '../kit/emulate.js';

/** A Docker engine, with the images that ours are made of. */
export interface Engine {
  /** What the command printed; throws with what it complained of. */
  docker(...words: string[]): string;
  compose(...words: string[]): string;
  close(): Promise<void>;
}

/** What testcontainers removes containers with when a test process has died. */
const REAPER = 'testcontainers/ryuk:0.14.0';
const OUTPUT_OCTETS = 1 << 26;
/** The builder that every engine has, with or without its newer plug-in. */
const ENVIRONMENT = { DOCKER_BUILDKIT: '0', COMPOSE_PROJECT_NAME: 'selvage-test' };
/**
 * For testcontainers, with an engine of our own. It publishes ports on loopback, where testcontainers
 * guesses a gateway on a machine that is a container itself.
 */
const AT_LOOPBACK = { TESTCONTAINERS_HOST_OVERRIDE: '127.0.0.1' };
/** All containers end with an engine of our own; with another, tests stop what they have started. */
const WITHOUT_REAPER = { TESTCONTAINERS_RYUK_DISABLED: 'true' };
/** Of its own engines, in the folder for temporary files. */
const FOLDERS = 'selvage-docker-';
const START_TRIES = 100;
const START_PAUSE_MS = 200;

/** The engine that answers, or one of our own as long as the tests last; else why there is none. */
export async function openEngine(): Promise<Engine | string> {
  const compose = composeCommand();
  if (compose === null) return 'neither docker compose nor docker-compose is installed';
  Object.assign(process.env, ENVIRONMENT);
  const own = answers() ? null : await startOwn();
  if (typeof own === 'string') return own;
  if (own !== null) Object.assign(process.env, AT_LOOPBACK, WITHOUT_REAPER);
  else if (!isPulled(REAPER)) Object.assign(process.env, WITHOUT_REAPER);
  try {
    makeImages();
  } catch (error) {
    await own?.close();
    return `no base images: ${(error as Error).message}`;
  }
  return {
    docker: (...words) => command('docker', words),
    compose: (...words) => command(compose[0]!, [...compose.slice(1), ...words]),
    close: async () => own?.close(),
  };
}

/** Makes the images that deploy/ names, or those of servers of others: `IMAGE=PROGRAM`. */
export function makeImages(...servers: readonly string[]): void {
  command(process.execPath, [join(ROOT, 'test/docker/base-images.mjs'), ...servers]);
}

function isPulled(image: string): boolean {
  const has = (...words: string[]): boolean =>
    spawnSync('docker', words, { stdio: 'ignore' }).status === 0;
  return has('image', 'inspect', image) || has('pull', '--quiet', image);
}

function answers(): boolean {
  return spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0;
}

/** The plug-in of Docker, or the program of its own; null: neither is installed. */
function composeCommand(): string[] | null {
  const known = [['docker', 'compose'], ['docker-compose']];
  const isThere = ([name, ...words]: string[]): boolean =>
    spawnSync(name!, [...words, 'version'], { stdio: 'ignore' }).status === 0;
  return known.find(isThere) ?? null;
}

function command(name: string, words: readonly string[]): string {
  const options = { encoding: 'utf8', maxBuffer: OUTPUT_OCTETS } as const;
  const { status, stdout, stderr, error } = spawnSync(name, words, options);
  if (status === 0) return stdout;
  throw new Error(`${name} ${words.join(' ')}: ${error?.message ?? stdout + stderr}`);
}

/** All that it keeps lies in a folder that goes with it. */
async function startOwn(): Promise<{ close(): Promise<void> } | string> {
  if (process.getuid?.() !== 0) return 'no Docker engine answers';
  clearAfterKilled();
  const folder = mkdtempSync(join(tmpdir(), FOLDERS));
  const host = `unix://${folder}/docker.sock`;
  const places = ['--data-root', 'data', '--exec-root', 'exec', '--pidfile', 'pid'];
  const words = places.map((word) => (word.startsWith('-') ? word : join(folder, word)));
  const engine = spawn('dockerd', ['--host', host, ...words], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => {
    engine.once('error', resolve).once('exit', resolve);
  });
  const close = async (): Promise<void> => {
    engine.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
    delete process.env['DOCKER_HOST'];
  };
  process.env['DOCKER_HOST'] = host;
  if (await isUp(engine)) return { close };
  await close();
  return 'no Docker engine answers, and none can be started';
}

/**
 * Engines that were killed leave network namespaces, held by mounts in their folders: these answer
 * for addresses that a new engine gives to its own containers.
 */
function clearAfterKilled(): void {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(FOLDERS));
  for (const folder of folders.map((name) => join(tmpdir(), name))) {
    // One that has just begun has no number yet.
    const pid = join(folder, 'pid');
    if (!existsSync(pid) || isEngine(readFileSync(pid, 'utf8').trim())) continue;
    const mounted = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[1] ?? '')
      .filter((place) => place.startsWith(`${folder}/`));
    // The innermost first.
    for (const place of mounted.toReversed()) spawnSync('umount', ['--lazy', place]);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Another process may have the number by now. */
function isEngine(pid: string): boolean {
  const name = join('/proc', pid, 'comm');
  return existsSync(name) && readFileSync(name, 'utf8').trim() === 'dockerd';
}

async function isUp(engine: ChildProcess): Promise<boolean> {
  for (let tries = 0; tries < START_TRIES; tries++) {
    await setTimeout(START_PAUSE_MS);
    if (engine.exitCode !== null || engine.pid === undefined) return false;
    if (answers()) return true;
  }
  return false;
}
