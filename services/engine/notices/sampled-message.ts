/** As a target: the neighbour on the link. */
export const NEIGHBOUR = -1;

/** The frame around a message about congestion, as the device that carries it makes it. */
export interface SampledMessage {
  readonly priority: number;
  /** Position of the station that it goes to, or NEIGHBOUR. */
  readonly target: number;
  readonly hash: number;
  readonly vlan: number;
  /** When the congestion was seen. */
  readonly bornPs: number;
}
