import type { selvage } from '#contracts';
import type { PackedOutcome } from '../runtime/checkpoints/packed-outcome.js';
import type { FaultStep, FaultRequest, LiveFault } from '../runtime/live-faults.js';
import type { PortSample } from '../runtime/port-sample.js';
import type { Refusal } from './refusal.js';

type V1 = typeof selvage.v1;

/** What people can ask of a run that is under way, wherever it runs. */
export interface RunDesk {
  /** `stepPs`: how far a step goes; 0: as little as there is. */
  steer(action: selvage.v1.SteerRequest.Action, stepPs: number): { done: boolean; detail: string };
  /** Calls back now and whenever something changed, until the function returned is called. */
  watch(hear: (status: selvage.v1.RunStatus.$Properties) => void): () => void;
  /** Throws, or rejects, with the reason if that cannot be had. */
  change(request: FaultRequest): Promise<FaultStep>;
  faults(): LiveFault[];
  isOver(): boolean;
  /** What the run measured, once it is over. */
  readonly outcome: PackedOutcome | null;
}

/** What the services of a run ask. */
export interface ServiceDesk {
  /** Null, or why the service is refused. */
  register(
    register: selvage.v1.Register.$Properties,
    send: (message: selvage.v1.ToService.$Properties) => void,
  ): Refusal | null;
  hear(service: number, message: InstanceType<V1['FromService']>): void;
  /** Calls back with what ports have counted, until the function returned is called. */
  listenPorts(hear: (sample: PortSample) => void): () => void;
  /** The run as it stands at the next bound, packed; throws if it has ended. */
  look(): Promise<Uint8Array>;
  lost(service: number, send: (message: selvage.v1.ToService.$Properties) => void): void;
}
