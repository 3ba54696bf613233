import { setImmediate } from 'node:timers/promises';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { Pacer } from '../live/live-session.js';
import type { LiveResults } from '../runtime/results/live-results.js';
import type { RunResults } from '../runtime/results/results.js';
import type { Session } from '../runtime/session.js';
import { LiveHosts } from './live-hosts.js';
import { Recording } from './recording.js';
import { WallTime } from './wall-time.js';

/** Timers of Node are late by a millisecond, and more on a busy machine: the rest is spun. */
const SPIN_MS = 2;
/** A sleep is no longer than this, so that Ctrl-C is heard and viewers see time pass. */
const SLEEP_MS = 100;

/** A run whose live ports have real hosts behind them: paces it, and records what comes in. */
export class AttachedRun implements Pacer {
  readonly recording: Recording;
  private readonly time: WallTime;
  private readonly hosts: LiveHosts;
  private isStopped = false;
  private wake: () => void = () => undefined;

  constructor(
    private readonly session: Session,
    fabric: Fabric,
    warn: (text: string) => void,
  ) {
    const live = fabric.scenario.live!;
    this.recording = new Recording(live.hosts.map(({ name }) => name));
    this.time = new WallTime(live, () => performance.now());
    const { time, recording } = this;
    const came = (): void => {
      this.wake();
    };
    this.hosts = new LiveHosts({ fabric, session, time, recording, warn, came });
  }

  /** Opens the endpoints. */
  async open(): Promise<void> {
    await this.hosts.open();
  }

  /** Virtual time begins. */
  begin(): void {
    this.time.begin();
  }

  close(): void {
    this.hosts.close();
    this.recording.end();
  }

  /** Ends the run when all that is due is executed. */
  stop(): void {
    this.isStopped = true;
    this.wake();
  }

  duePs(): number {
    const { hosts, time, session } = this;
    hosts.busy();
    hosts.executedPs = Math.max(hosts.executedPs, Math.min(time.nowPs, session.endPs ?? Infinity));
    return hosts.executedPs;
  }

  reached(): boolean {
    this.hosts.balance();
    return this.time.reached(this.hosts.executedPs) && !this.isStopped;
  }

  async rest(nextPs: number): Promise<void> {
    const ms = Math.min(SLEEP_MS, this.time.msUntil(nextPs) - SPIN_MS);
    this.hosts.polls();
    if (ms <= 0) await setImmediate();
    else await this.sleep(ms);
  }

  /** What the run came to, and how well it held time. */
  resultsOf(results: RunResults): RunResults {
    const status = results.status === 'interrupted' ? 'live' : results.status;
    const endPs = Math.min(this.hosts.executedPs, this.session.boundPs);
    const live: LiveResults = this.hosts.results(results.live!, endPs);
    return { ...results, status: status === 'complete' ? 'live' : status, live };
  }

  private async sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = () => undefined;
  }
}
