import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

interface Limits {
  /** Of processor time. */
  readonly cpuMs: number;
  readonly octets?: number;
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Ended {
  /** Null: it was stopped. */
  readonly code: number | null;
  /** Why it was stopped, or empty. */
  readonly stopped: string;
  readonly stdout: string;
  readonly stderr: string;
}

const POLL_MS = 100;
const MOST_OCTETS = 1.5e9;
const PAGE_OCTETS = 4096;
const TICKS_PER_SECOND = 100;
/** Where the system does not tell what a process uses, and for one that sleeps. */
const WALL_PER_CPU = 8;

/** What runs now: a defect may let it run for ever, so none is left behind. */
const running = new Set<ChildProcess>();

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

/** Runs a program of Node until it ends, or uses more time or memory than it may. */
export async function runNode(words: readonly string[], limits: Limits): Promise<Ended> {
  const { cwd, env = {}, cpuMs, octets: mostOctets = MOST_OCTETS } = limits;
  const child = spawn(process.execPath, words, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const texts = { stdout: '', stderr: '' };
  child.stdout.on('data', (octets: Buffer) => (texts.stdout += octets.toString()));
  child.stderr.on('data', (octets: Buffer) => (texts.stderr += octets.toString()));
  let stopped = '';
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const used = usedBy(child.pid!);
    const isLate = performance.now() - startedAt > cpuMs * WALL_PER_CPU;
    if (used.cpuMs > cpuMs || isLate) stopped = 'it does not end';
    else if (used.octets > mostOctets) stopped = 'it takes all memory';
    else return;
    child.kill('SIGKILL');
  }, POLL_MS);
  const code = await new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  clearInterval(timer);
  running.delete(child);
  return { code: stopped === '' ? code : null, stopped, ...texts };
}

function usedBy(pid: number): { cpuMs: number; octets: number } {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return { cpuMs: 0, octets: 0 };
  try {
    const text = readFileSync(file, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { cpuMs: (ticks * 1000) / TICKS_PER_SECOND, octets: Number(fields[21]) * PAGE_OCTETS };
  } catch {
    return { cpuMs: 0, octets: 0 };
  }
}
