import { PS_PER_MS } from '../../engine/units/time.js';
import { setTimeout as startTimer } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import { selvage } from '#contracts';
import { HALTED } from '../../coordinator/coordinator-options.js';
import type { Placement } from '../../fabric/placement/placement.js';
import type { InfrastructureSection } from '../../fabric/scenario/infrastructure-section.js';
import type { Struck } from './pod-breaker.js';
import type { Topology } from '../../fabric/topology/topology.js';

const { Phase } = selvage.v1.RunStatus;
const { Action } = selvage.v1.SteerRequest;
const RETRY_MS = 100;

/** An infrastructure fault, with the name of its process. */
export interface InfrastructureFault extends InfrastructureSection {
  readonly process: string;
  /** In the scenario, from 0. */
  readonly number: number;
}

/** Processes that can be broken, and the resumption of halts. */
interface Breakable {
  readonly client: {
    steer(action: selvage.v1.SteerRequest.Action): Promise<{ readonly done?: boolean | null }>;
  };
  signal(name: string, signal: NodeJS.Signals): void;
}

/** The processes that a scenario's infrastructure faults refer to. */
export function infrastructureOf(
  sections: readonly InfrastructureSection[],
  topology: Topology,
  placement: Placement,
): readonly InfrastructureFault[] {
  return sections.map((section, number) => {
    const { victim, device } = section;
    if (victim !== 'service') return { ...section, number, process: victim };
    const index = topology.devices.findIndex(({ name }) => name === device);
    const service = placement.findIndex(({ devices }) => devices.includes(index));
    return { ...section, number, process: `service ${service}` };
  });
}

/** Breaks the processes of a fleet by a scenario. */
export class InfrastructureBreaker {
  private readonly left: InfrastructureFault[];
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly paused = new Set<string>();
  private isReleasing = false;
  private isClosed = false;

  constructor(
    private readonly fleet: Breakable,
    faults: readonly InfrastructureFault[],
    /** Those of earlier processes of this run are not injected again. */
    private readonly struck: Struck = new Set<number>(),
  ) {
    const open = faults.filter(({ number }) => !struck.has(number));
    this.left = open.filter(({ atPs }) => atPs !== null);
    for (const fault of open) {
      if (fault.afterPs === null) continue;
      this.later(fault.afterPs, () => {
        this.strike(fault);
      });
    }
  }

  /**
   * Progress of the run; at a halt it waits to be resumed. A halt may be over before its status
   * arrives, so faults that are due are injected while it runs, too.
   */
  onStatus({ phase, virtualPs, detail }: selvage.v1.RunStatus): void {
    const isHalted = phase === Phase.PHASE_PAUSED && detail === HALTED;
    if (!isHalted && phase !== Phase.PHASE_RUNNING) return;
    while (this.left.length > 0) {
      const next = this.left.findIndex(({ atPs }) => atPs! <= virtualPs);
      if (next < 0) break;
      this.strike(this.left.splice(next, 1)[0]!);
    }
    if (isHalted) void this.release();
  }

  close(): void {
    this.isClosed = true;
    for (const timer of this.timers) clearTimeout(timer);
    for (const name of this.paused) this.fleet.signal(name, 'SIGCONT');
  }

  private later(wallPs: number, act: () => void): void {
    this.timers.push(startTimer(act, wallPs / PS_PER_MS));
  }

  private strike({ kind, process: name, lastsPs, number }: InfrastructureFault): void {
    this.struck.add(number);
    this.fleet.signal(name, kind === 'kill' ? 'SIGKILL' : 'SIGSTOP');
    if (kind === 'kill') return;
    this.paused.add(name);
    this.later(lastsPs, () => {
      this.paused.delete(name);
      this.fleet.signal(name, 'SIGCONT');
    });
  }

  /** A coordinator that was killed is resumed when it is back: it halts there again. */
  private async release(): Promise<void> {
    if (this.isReleasing) return;
    this.isReleasing = true;
    while (!this.isClosed) {
      const reply = await this.fleet.client.steer(Action.ACTION_RESUME).catch(() => null);
      if (reply?.done === true) break;
      await setTimeout(RETRY_MS);
    }
    this.isReleasing = false;
  }
}
