import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { isLogLine } from '../../runtime/log.js';

export interface ProcessPlan {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The others need it until they have ended. */
  readonly endsLast?: boolean;
}

/** A process that has ended so often is not started again. */
const MOST_RESTARTS = 100;
const RESTART_MS = 50;
/** Last output of a process, for the reason of a failure. */
const LAST_WORDS = 2000;

interface Managed {
  readonly plan: ProcessPlan;
  child: ChildProcess;
  restarts: number;
  words: string;
}

/** Processes that are restarted until the group is closed. */
export class ProcessGroup {
  private readonly processes = new Map<string, Managed>();
  private closing = false;

  /** `gaveUp` is called for a process that ended with code 3, or once too often. */
  constructor(
    private readonly gaveUp: (name: string, words: string) => void,
    /** What they log is shown here. */
    private readonly showsLogs = false,
  ) {}

  start(plan: ProcessPlan): void {
    const managed: Managed = { plan, child: launch(plan), restarts: 0, words: '' };
    this.processes.set(plan.name, managed);
    this.follow(managed);
  }

  pidOf(name: string): number | undefined {
    return this.processes.get(name)?.child.pid;
  }

  /** False: the process has ended, and another one may take its place. */
  signal(name: string, signal: NodeJS.Signals): boolean {
    return this.processes.get(name)?.child.kill(signal) ?? false;
  }

  get names(): string[] {
    return [...this.processes.keys()];
  }

  /** Ends all of them; resolves when none is left. */
  async close(): Promise<void> {
    this.closing = true;
    const processes = [...this.processes.values()];
    for (const isLast of [false, true]) {
      const turn = processes.filter(({ plan }) => (plan.endsLast ?? false) === isLast);
      await Promise.all(turn.map(({ child }) => end(child)));
    }
  }

  private follow(managed: Managed): void {
    const { child, plan } = managed;
    createInterface({ input: child.stderr! }).on('line', (line) => {
      if (!isLogLine(line)) managed.words = `${managed.words}${line}\n`.slice(-LAST_WORDS);
      else if (this.showsLogs) process.stderr.write(`${line}\n`);
    });
    child.once('error', (error) => {
      managed.words += error.message;
    });
    child.once('close', (code) => {
      if (this.closing) return;
      const failed = code !== null && code !== 0;
      if (failed || managed.restarts >= MOST_RESTARTS) {
        this.gaveUp(plan.name, managed.words.trim());
        return;
      }
      // Killed by a signal, or ended unexpectedly: another one takes its place.
      if (code === 0) return;
      managed.restarts++;
      setTimeout(() => {
        if (this.closing) return;
        managed.child = launch(plan);
        this.follow(managed);
      }, RESTART_MS);
    });
  }
}

const PATIENCE_MS = 5_000;

function launch({ command, args, env }: ProcessPlan): ChildProcess {
  return spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    // Ctrl-C is for the command line, which ends the rest in order.
    detached: true,
  });
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const force = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    child.once('close', () => {
      clearTimeout(force);
      resolve();
    });
    child.kill('SIGTERM');
  });
}
