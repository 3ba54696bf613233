import type { selvage } from '#contracts';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { PartPlan } from '../fabric/placement/part-plan.js';
import { packSnapshot } from '../runtime/checkpoints/packed-outcome.js';
import { snapshotOf } from '../runtime/run-snapshot.js';
import type { PartState } from '../runtime/part/part.js';
import { Gathering } from './gathering.js';

/** Somebody who wants to see the run. */
interface Looker {
  readonly resolve: (snapshot: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

/** Where people wait who want to see the run as it stands, while services show their parts. */
export class Glancing {
  private lookers: Looker[] = [];
  /** When services were asked, by the wall clock. */
  private beganAt = 0;
  /** Null: services have not been asked. */
  private shown: Gathering | null = null;

  constructor(private readonly plans: readonly PartPlan[]) {}

  get isAsked(): boolean {
    return this.lookers.length > 0;
  }

  get isUnderway(): boolean {
    return this.shown !== null;
  }

  ask(): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.lookers.push({ resolve, reject });
    });
  }

  refuse(reason: string): void {
    this.shown = null;
    for (const { reject } of this.lookers.splice(0)) reject(new Error(reason));
  }

  /** Services are asked, again if there is a new epoch. */
  begin(): void {
    this.beganAt = performance.now();
    this.shown = new Gathering(this.plans.length);
  }

  /** What was shown in an epoch that is over says nothing. */
  forget(): void {
    this.shown = null;
  }

  /** With the last piece of the last, those who wait have their answer. */
  take(service: number, piece: selvage.v1.StatePart.$Properties, fabric: Fabric): void {
    try {
      const states = this.shown?.take(service, piece) ?? null;
      if (states !== null) this.answer(fabric, states);
    } catch (error) {
      this.refuse((error as Error).message);
    }
  }

  private answer(fabric: Fabric, states: readonly PartState[]): void {
    const snapshot = packSnapshot(snapshotOf(fabric, this.plans, states, this.beganAt));
    this.shown = null;
    for (const { resolve } of this.lookers.splice(0)) resolve(snapshot);
  }
}
