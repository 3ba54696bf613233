import type { CheckpointStore } from '../runtime/checkpoints/store.js';
import type { FaultStep, FaultRequest, LiveFaults } from '../runtime/live-faults.js';
import { packChange } from '../runtime/live-faults.js';

/** What somebody waits for. */
interface Request {
  readonly request: FaultRequest;
  readonly resolve: (step: FaultStep) => void;
  readonly reject: (error: Error) => void;
}

/** Where requests for faults wait until they can be granted, and are remembered. */
export class FaultDesk {
  /** What came of requests so far, serialised: for services that begin anew. */
  changes: Uint8Array[] = [];
  private requests: Request[] = [];

  constructor(
    readonly live: LiveFaults,
    private readonly store: CheckpointStore,
  ) {}

  /** What another coordinator of this run has granted. */
  async recall(): Promise<void> {
    const steps = await this.store.steps();
    if (steps === null) return;
    const taken = JSON.parse(Buffer.from(steps).toString()) as FaultStep[];
    this.changes = this.live.repeat(taken).map(packChange);
  }

  get isAsked(): boolean {
    return this.requests.length > 0;
  }

  /** Throws if nobody could have that; resolves when the time is known at which it is had. */
  ask(request: FaultRequest): Promise<FaultStep> {
    this.live.check(request);
    return new Promise((resolve, reject) => {
      this.requests.push({ request, resolve, reject });
    });
  }

  refuse(reason: string): void {
    for (const { reject } of this.requests.splice(0)) reject(new Error(reason));
  }

  /** Everybody stands at one bound: faults come and go there, once the store knows of them. */
  async grant(boundPs: number): Promise<{ changes: Uint8Array[]; steps: FaultStep[] }> {
    const granted = this.requests.splice(0).flatMap(({ request, resolve, reject }) => {
      try {
        return { ...this.live.take(request, boundPs), resolve };
      } catch (error) {
        reject(error as Error);
        return [];
      }
    });
    const changes = granted.map(({ change }) => packChange(change));
    this.changes.push(...changes);
    await this.store.putSteps(Buffer.from(JSON.stringify(this.live.steps)));
    for (const { step, resolve } of granted) resolve(step);
    return { changes, steps: granted.map(({ step }) => step) };
  }
}
