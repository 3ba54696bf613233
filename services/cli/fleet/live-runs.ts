import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { TlsFiles } from '../../runtime/links/control-channel.js';
import { runJson } from '../../report/run-json.js';
import { InputError } from '../exit.js';

/** Address of a run of this user. The token makes it a secret. */
export interface LiveRun {
  readonly run: string;
  readonly scenario: string;
  readonly coordinator: string;
  /** Opens its control plane. */
  readonly token: string;
  readonly tls: TlsFiles | null;
  readonly pid: number;
}

const OWNER_ONLY = 0o700;
const FOR_OTHERS = 0o077;

/** Of this user, by number where there are numbers: in a container, a user may have no name. */
function folder(): string {
  return join(tmpdir(), `selvage-${process.getuid?.() ?? userInfo().username}`);
}

/** What others could write to would lead commands, and their tokens, to whatever they like. */
function checkOwner(path: string): void {
  const state = lstatSync(path);
  const own = process.getuid?.();
  const isOwn = own === undefined || (state.uid === own && (state.mode & FOR_OTHERS) === 0);
  if (isOwn && state.isDirectory()) return;
  throw new InputError(
    `${path}: not a folder of this user alone, which the addresses of runs are kept in; ` +
      'remove it, or set TMPDIR to a folder of your own',
  );
}

export function announce(live: LiveRun): void {
  mkdirSync(folder(), { recursive: true, mode: OWNER_ONLY });
  checkOwner(folder());
  writeFileSync(join(folder(), `${live.run}.json`), JSON.stringify(live), { mode: 0o600 });
}

export function withdraw(run: string): void {
  rmSync(join(folder(), `${run}.json`), { force: true });
}

/** Runs whose command line is still alive. Files of others, which were killed, are removed. */
export function liveRuns(): LiveRun[] {
  if (existsSync(folder())) checkOwner(folder());
  let names: string[];
  try {
    names = readdirSync(folder()).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const live = readLive(join(folder(), name));
    if (live !== null && isAlive(live.pid)) return live;
    if (live !== null) withdraw(live.run);
    return [];
  });
}

/** Null for a file that is invalid, or incomplete. */
function readLive(file: string): LiveRun | null {
  try {
    return runJson(file, readFileSync(file, 'utf8'), { run: 'string', pid: 'number' }) as LiveRun;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
