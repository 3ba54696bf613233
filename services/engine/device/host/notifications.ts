import { field } from '../../kernel/fields.js';
import { COUNTER } from '../../kernel/kinds.js';
import type { ReceiveSpec } from '../../contract/spec.js';
import { fillEnvelope } from '../../notices/notice-envelope.js';
import { Stations } from '../../notices/stations.js';
import { blankCnp, CNP_FRAME_OCTETS_MAX, decodeCnpPacket, encodeCnpFrame } from '../../wire/cnp.js';
import { blankEnvelope, decodeEnvelope } from '../../wire/congestion-message.js';
import { connectionOf, queuePairOf, ROCE_UDP_PORT } from '../../wire/roce.js';
import type { ControlPayloads } from '../control-payloads.js';
import type { Device } from '../device.js';
import type { Shared } from '../shared.js';
import type { Rates } from './rates.js';
import { DSCP_PER_PRIORITY } from '../../wire/ipv4.js';
import { flowSourcePort } from '../../wire/udp.js';

/** Congestion notifications of receivers to the senders of marked packets. */
export interface CongestionNotifications {
  /** The packet (CNP) that a receiving connection sends about a marked frame. */
  make(spec: ReceiveSpec): number;
  /** Takes a message; false if it is of another kind. */
  take(device: number, octets: Uint8Array): boolean;
  /** Notifies the rate control of a connection; false if no such connection has one. */
  notify(device: number, connection: number, feedback: number): boolean;
  /** By device: messages that were malformed, and those for a connection without a rate control. */
  readonly malformed: Float64Array;
  readonly unclaimed: Float64Array;
}

export function makeNotifications(
  { clock, tables }: Shared,
  devices: readonly Device[],
  controlPayloads: ControlPayloads,
  rates: Rates,
): CongestionNotifications {
  const malformed = tables.float64('device', field('malformed notices', COUNTER));
  const unclaimed = tables.float64('device', field('unclaimed notices', COUNTER));
  const scratch = new Uint8Array(CNP_FRAME_OCTETS_MAX);
  const packet = blankEnvelope();
  const cnp = blankCnp();

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
      sourcePort: flowSourcePort(spec.hash),
      destinationPort: ROCE_UDP_PORT,
    });
    cnp.destinationQueuePair = queuePairOf(spec.sourceConnection);
    const length = encodeCnpFrame(scratch, 0, packet, cnp);
    const { hash, source: target, ackVlan: vlan } = spec;
    return controlPayloads.make(
      { priority, target, hash, vlan, bornPs: clock.now },
      scratch,
      length,
    );
  }

  function take(device: number, octets: Uint8Array): boolean {
    if (decodeEnvelope(octets, 0, packet) !== 'ok') return false;
    const isRoce = packet.udp.destinationPort === ROCE_UDP_PORT;
    if (packet.encapsulation === 'ethernet' || !isRoce) return false;
    if (decodeCnpPacket(octets, 0, packet, cnp) !== 'ok') malformed[device]++;
    else if (!notify(device, connectionOf(cnp.destinationQueuePair), 0)) unclaimed[device]++;
    return true;
  }

  function notify(device: number, connection: number, feedback: number): boolean {
    const { first, count } = devices[device].rows.send;
    const send = first + connection;
    if (connection < 0 || connection >= count || !rates.isLimited(send)) return false;
    rates.notified(send, feedback);
    return true;
  }

  return { make, take, notify, malformed, unclaimed };
}
