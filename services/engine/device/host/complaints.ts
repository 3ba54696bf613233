import { carriedOctets } from '../../frame/carried-octets.js';
import { CLASS, KIND_CNP, KIND_MASK } from '../../frame/frame-pool.js';
import { blankCnm, CNM_OCTETS, decodeCnm } from '../../wire/cnm.js';
import { blankCnp, CNP_OCTETS, decodeCnp } from '../../wire/cnp.js';
import { BTH_OCTETS } from '../../wire/roce.js';
import type { Device } from '../device.js';
import type { Shared } from '../shared.js';
import type { Rates } from './rates.js';

/** Control messages that tell a host to slow a connection down. */
export interface Complaints {
  take(device: number, frame: number): void;
  /** By device: messages that were malformed, or of a connection that nobody limits. */
  readonly unclaimed: Float64Array;
}

export function makeComplaints(
  { pool, tables }: Shared,
  devices: readonly Device[],
  rates: Rates,
): Complaints {
  const unclaimed = tables.float64('device', 1);
  const scratch = new Uint8Array(CNP_OCTETS);
  const cnp = blankCnp();
  const cnm = blankCnm();

  function take(device: number, frame: number): void {
    if ((pool.words[frame + CLASS] & KIND_MASK) === KIND_CNP) takePacket(device, frame);
    else takeMessage(device, frame);
  }

  /** From the receiver, for a queue pair. */
  function takePacket(device: number, frame: number): void {
    scratch.fill(0);
    carriedOctets(pool, frame, scratch, BTH_OCTETS);
    if (decodeCnp(scratch, 0, cnp) !== 'ok') unclaimed[device]++;
    else tell(device, cnp.destinationQueuePair, 0);
  }

  /** From a queue on the way, for the flow of its CN-TAG. */
  function takeMessage(device: number, frame: number): void {
    const flowId = pool.flowId(frame);
    carriedOctets(pool, frame, scratch, CNM_OCTETS);
    if (flowId === 0 || decodeCnm(scratch, 0, cnm) !== 'ok') unclaimed[device]++;
    else tell(device, flowId - 1, cnm.feedback);
  }

  function tell(device: number, connection: number, feedback: number): void {
    const { first, count } = devices[device].rows.send;
    const send = first + connection;
    if (connection >= count || !rates.isLimited(send)) unclaimed[device]++;
    else rates.notified(send, feedback);
  }

  return { take, unclaimed };
}
