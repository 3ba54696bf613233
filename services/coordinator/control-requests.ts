import type { selvage } from '#contracts';
import type { PackedOutcome } from '../runtime/checkpoints/packed-outcome.js';
import type { FaultStep, FaultRequest, LiveFault } from '../runtime/live-faults.js';
import type { PortSample } from '../runtime/port-sample.js';
import type { Refusal } from './refusal.js';

type V1 = typeof selvage.v1;

/** Control requests to a run, wherever it is executed. */
export interface RunRequests {
  /** `stepPs`: length of a step; 0: one advance. */
  steer(action: selvage.v1.SteerRequest.Action, stepPs: number): { done: boolean; detail: string };
  /** Calls back now and whenever something changed, until the function returned is called. */
  watch(listener: (status: selvage.v1.RunStatus.$Properties) => void): () => void;
  /** Throws, or rejects, with the reason if that is impossible. */
  change(request: FaultRequest): Promise<FaultStep>;
  faults(): LiveFault[];
  isOver(): boolean;
  /** The results of the run, once it is over. */
  readonly outcome: PackedOutcome | null;
}

/** The stream of a connected service. */
export interface ServiceStream {
  send(message: selvage.v1.ToService.$Properties): void;
  /** The service opens another one, if it can. */
  end(): void;
}

/** Requests of the services of a run. */
export interface ServiceRequests {
  /** Null, or why the service is refused. */
  register(register: selvage.v1.Register.$Properties, stream: ServiceStream): Refusal | null;
  receive(service: number, message: InstanceType<V1['FromService']>): void;
  /** Calls back with samples of ports, until the function returned is called. */
  listenPorts(listener: (sample: PortSample) => void): () => void;
  /** A snapshot of the run at the next bound, packed; throws if it has ended. */
  snapshot(): Promise<Uint8Array>;
  lost(service: number, stream: ServiceStream): void;
}
