import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { TlsFiles } from '../../runtime/links/control-channel.js';
import { runJson } from '../../report/run-json.js';

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

/** Of this user, by number where there are numbers: in a container, a user may have no name. */
function folder(): string {
  return join(tmpdir(), `selvage-${process.getuid?.() ?? userInfo().username}`);
}

export function announce(live: LiveRun): void {
  mkdirSync(folder(), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder(), `${live.run}.json`), JSON.stringify(live), { mode: 0o600 });
}

export function withdraw(run: string): void {
  rmSync(join(folder(), `${run}.json`), { force: true });
}

/** Runs whose command line is still alive. */
export function liveRuns(): LiveRun[] {
  let names: string[];
  try {
    names = readdirSync(folder()).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const live = readLive(join(folder(), name));
    return live !== null && isAlive(live.pid) ? live : [];
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
