import type { Configuration } from '../configuration.js';
import type { Verdict } from '../verdict.js';
import type { Negotiation } from './negotiation.js';
import type { Device, Port } from './port.js';

export type { Observer, Start } from './observer.js';
export type { Device, Flight, Port, Queued, Storage } from './port.js';
export type { WireFrame } from '../record.js';

/** What all rules work with. */
export interface Model {
  readonly configuration: Configuration;
  readonly devices: readonly Device[];
  readonly ports: readonly Port[];
  readonly negotiation: Negotiation;
  readonly verdict: Verdict;
}
