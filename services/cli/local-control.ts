import { randomBytes } from 'node:crypto';
import { selvage } from '#contracts';
import { ControlServer } from '../coordinator/control-server.js';
import type { RunRequests } from '../coordinator/control-requests.js';
import type { RunController } from '../runtime/controller/run-controller.js';
import { ENDED } from '../runtime/controller/run-controller.js';
import type { FaultStep, FaultRequest, LiveFault, LiveFaults } from '../runtime/live-faults.js';
import type { Progress } from '../runtime/session.js';
import type { RunSnapshot } from '../runtime/run-snapshot.js';
import { announce, withdraw } from './fleet/live-runs.js';

const { Phase } = selvage.v1.RunStatus;
const { Action } = selvage.v1.SteerRequest;
type Status = selvage.v1.RunStatus.$Properties;

/** A run in this process, in one thread or several. */
export interface LocalRun {
  readonly live: LiveFaults;
  readonly controller: RunController<RunSnapshot>;
  progress(): Progress;
}

const TELL_MS = 200;
const RUN_ID_OCTETS = 4;
const TOKEN_OCTETS = 32;

/** Control plane of a run in this process, as a coordinator has for a distributed one. */
class LocalControl implements RunRequests {
  readonly outcome = null;
  private hasEnded = false;
  private readonly watchers = new Set<(status: Status) => void>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly run: LocalRun,
    private readonly name: string,
  ) {
    this.timer = setInterval(() => {
      this.publish();
    }, TELL_MS);
  }

  steer(action: selvage.v1.SteerRequest.Action, stepPs: number): { done: boolean; detail: string } {
    const { controller } = this.run;
    if (this.isOver()) return { done: false, detail: ENDED };
    if (action === Action.ACTION_STOP) controller.stop();
    else if (action === Action.ACTION_PAUSE) controller.pause();
    else if (action === Action.ACTION_STEP) controller.step(stepPs);
    else if (action === Action.ACTION_RESUME) controller.resume();
    else return { done: false, detail: 'a run in one process has no checkpoints' };
    this.publish();
    return { done: true, detail: '' };
  }

  watch(listener: (status: Status) => void): () => void {
    this.watchers.add(listener);
    listener(this.status());
    return () => this.watchers.delete(listener);
  }

  change(request: FaultRequest): Promise<FaultStep> {
    return this.run.controller.change(request, this.run.live);
  }

  faults(): LiveFault[] {
    return this.run.live.list();
  }

  isOver(): boolean {
    return this.hasEnded;
  }

  end(): void {
    clearInterval(this.timer);
    this.hasEnded = true;
    this.publish();
  }

  private phase(): selvage.v1.RunStatus.Phase {
    if (this.hasEnded) return Phase.PHASE_COMPLETE;
    const isPaused = this.run.controller.state === 'paused';
    return isPaused ? Phase.PHASE_PAUSED : Phase.PHASE_RUNNING;
  }

  private publish(): void {
    for (const listener of this.watchers) listener(this.status());
  }

  private status(): Status {
    const { virtualPs, endPs, share, frameHops } = this.run.progress();
    return {
      run: this.name,
      scenario: this.run.live.fabric.scenario.name,
      phase: this.phase(),
      virtualPs,
      endPs: endPs ?? Infinity,
      share,
      frameHops,
      checkpointPs: -1,
    };
  }
}

/** Opens the control plane of a run in this process; returns how to close it. */
export async function openControl(run: LocalRun): Promise<() => void> {
  const name = randomBytes(RUN_ID_OCTETS).toString('hex');
  const token = randomBytes(TOKEN_OCTETS).toString('hex');
  const control = new LocalControl(run, name);
  const server = new ControlServer(control, null, token);
  const port = await server.listen('127.0.0.1:0', null);
  const { scenario } = run.live.fabric;
  const coordinator = `127.0.0.1:${port}`;
  announce({ run: name, scenario: scenario.name, coordinator, token, tls: null, pid: process.pid });
  process.stderr.write(`run ${name} listens: selvage attach, pause, step, inject, stop\n`);
  return () => {
    withdraw(name);
    control.end();
    // Clients that watch receive the end before the server closes.
    setImmediate(() => {
      server.close();
    });
  };
}
