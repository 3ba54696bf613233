import { selvage } from '#contracts';

const { PHASE_RECOVERING } = selvage.v1.RunStatus.Phase;
const POLL_MS = 200;

/** Processes that can be ended, and are then started again. */
interface Replaceable {
  pidOf(name: string): number | undefined;
  signal(name: string, signal: NodeJS.Signals): void;
}

interface Missing {
  readonly pid: number;
  readonly since: number;
  readonly graceMs: number;
}

/**
 * Ends service processes that hang: they are lost to the coordinator and have not ended, so that no
 * other one takes their place.
 */
export class Replacer {
  private missing = new Map<string, Missing>();
  private names: readonly string[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly fleet: Replaceable,
    /** How long the first process that is alive may take to return. */
    private readonly graceMs: number,
  ) {
    this.timer = setInterval(() => {
      this.check(performance.now());
    }, POLL_MS);
  }

  observe({ phase, missing }: Pick<selvage.v1.RunStatus, 'phase' | 'missing'>): void {
    const services = phase === PHASE_RECOVERING ? missing : [];
    this.names = services.map((service) => `service ${service}`);
  }

  check(nowMs: number): void {
    const still = new Map<string, Missing>();
    for (const name of this.names) {
      const pid = this.fleet.pidOf(name);
      if (pid === undefined) continue;
      const before = this.missing.get(name);
      const entry = before?.pid === pid ? before : this.begun(pid, nowMs, before);
      still.set(name, entry);
      if (nowMs - entry.since >= entry.graceMs) this.fleet.signal(name, 'SIGKILL');
    }
    this.missing = still;
  }

  /** One that was started in place of another may be slow, and not hang: it has twice as long. */
  private begun(pid: number, since: number, before?: Missing): Missing {
    return { pid, since, graceMs: before === undefined ? this.graceMs : 2 * before.graceMs };
  }

  close(): void {
    clearInterval(this.timer);
  }
}
