import type { SonicPort } from './configuration.js';

/** A port of a switch in the scenario, and in its file. */
export interface PortPlace {
  readonly device: string;
  /** The name of the switch in its file. */
  readonly of: string;
  readonly port: SonicPort;
  /** In the scenario, from 1. */
  readonly number: number;
  /** The station or switch at the other end. */
  readonly peer: string;
}
