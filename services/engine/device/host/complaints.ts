import type { ReceiveSpec } from '../../contract/spec.js';
import { PRIORITY_MASK } from '../../frame/frame-pool.js';
import { fillEnvelope } from '../../notices/notice-envelope.js';
import { Stations } from '../../notices/stations.js';
import { blankCnm, blankCnmEnvelope, decodeCnmFrame } from '../../wire/cnm.js';
import { blankCnp, CNP_FRAME_OCTETS_MAX, decodeCnpPacket, encodeCnpFrame } from '../../wire/cnp.js';
import { blankEnvelope, decodeEnvelope } from '../../wire/congestion-message.js';
import { ROCE_UDP_PORT } from '../../wire/roce.js';
import type { ControlPayloads } from '../control-payloads.js';
import type { Device } from '../device.js';
import type { Shared } from '../shared.js';
import type { Rates } from './rates.js';

/** Class selector of a priority (RFC 2474 4.2.2). */
const DSCP_PER_PRIORITY = 8;
const DYNAMIC_PORTS = 0xc000;

/** Messages that tell a host to slow a connection down: of its receiver, or a queue on the way. */
export interface Complaints {
  /** The packet (CNP) that a receiving connection sends about a marked frame. */
  make(spec: ReceiveSpec): number;
  /** Takes a message; false if it is of another kind. */
  take(device: number, octets: Uint8Array): boolean;
  /** By device: messages that were malformed, and those for a connection that nobody limits. */
  readonly malformed: Float64Array;
  readonly unclaimed: Float64Array;
}

export function makeComplaints(
  { clock, tables }: Shared,
  devices: readonly Device[],
  controlPayloads: ControlPayloads,
  rates: Rates,
): Complaints {
  const malformed = tables.float64('device', 1);
  const unclaimed = tables.float64('device', 1);
  const scratch = new Uint8Array(CNP_FRAME_OCTETS_MAX);
  const packet = blankEnvelope();
  const message = blankCnmEnvelope();
  const cnp = blankCnp();
  const cnm = blankCnm();

  function make(spec: ReceiveSpec): number {
    const { priority, own, sender } = spec.notify!;
    const from = new Stations(own);
    fillEnvelope(packet, {
      encapsulation: 'ipv4',
      priority,
      dscp: priority * DSCP_PER_PRIORITY,
      tags: spec.ackVlan,
      mac: from.mac(0),
      own: from,
      stations: new Stations(sender),
      position: 0,
      sourcePort: DYNAMIC_PORTS | (spec.hash & 0x3fff),
      destinationPort: ROCE_UDP_PORT,
    });
    cnp.destinationQueuePair = spec.sourceConnection;
    const length = encodeCnpFrame(scratch, 0, packet, cnp);
    const { hash, source: target, ackVlan: vlan } = spec;
    return controlPayloads.make(
      { priority, target, hash, vlan, bornPs: clock.now },
      scratch,
      length,
    );
  }

  function take(device: number, octets: Uint8Array): boolean {
    const outcome = decodeCnmFrame(octets, 0, message, cnm);
    if (outcome === 'ok') tell(device, reactionPoint(device), cnm.feedback);
    else if (outcome === 'wrong-type') return takePacket(device, octets);
    else malformed[device]++;
    return true;
  }

  /** From the receiver, for a queue pair. */
  function takePacket(device: number, octets: Uint8Array): boolean {
    if (decodeEnvelope(octets, 0, packet) !== 'ok') return false;
    const isRoce = packet.udp.destinationPort === ROCE_UDP_PORT;
    if (packet.encapsulation === 'ethernet' || !isRoce) return false;
    if (decodeCnpPacket(octets, 0, packet, cnp) !== 'ok') malformed[device]++;
    else tell(device, cnp.destinationQueuePair, 0);
    return true;
  }

  /** By Flow ID; a message without one is for any reaction point of the priority (802.1Q 32.14). */
  function reactionPoint(device: number): number {
    const { spec } = devices[device];
    if (message.flowId !== 0 || spec.kind !== 'host') return message.flowId - 1;
    return spec.sends.findIndex(
      ({ rate, frameClass }) =>
        rate?.kind === 'qcn' && (frameClass & PRIORITY_MASK) === cnm.priority,
    );
  }

  function tell(device: number, connection: number, feedback: number): void {
    const { first, count } = devices[device].rows.send;
    const send = first + connection;
    const isOurs = connection >= 0 && connection < count && rates.isLimited(send);
    if (isOurs) rates.notified(send, feedback);
    else unclaimed[device]++;
  }

  return { make, take, malformed, unclaimed };
}
