import type { Fabric } from './fabric.js';
import type { TransportWire } from '../../mechanisms/transport-slice.js';
import { TRANSPORTS } from '../../mechanisms/registry.js';
import type { Flow } from '../load/flow.js';
import type { Framing } from './framing.js';
import { framingOf } from './framing.js';

/** Properties of a flow that its frames do not carry. */
export interface FlowOfFrames {
  readonly flow: number;
  readonly name: string;
  readonly framing: Framing;
  /** One acknowledgement for so many packets; 0 without a transport. */
  readonly ackEvery: number;
  /** Null: RoCEv2, or no transport. */
  readonly wire: TransportWire | null;
  /** Its connection at its source, and at its destination. */
  readonly connection: number;
  readonly remote: number;
  /** Virtual machine at its source and at its destination; 0 where a NIC knows none. */
  readonly vm: number;
  readonly toVm: number;
}

/** More than there are: a pair of them is one number. */
const STATIONS = 2 ** 26;

/** Flows by the common fields of their frames, and of the answers to these. */
export class FlowsByFrame {
  private readonly forward = new Map<number, Map<number, FlowOfFrames>>();
  private readonly backward = new Map<number, Map<number, FlowOfFrames>>();

  constructor({ flows, flowEnds, specs }: Fabric) {
    flows.forEach((flow, index) => {
      const { send } = flowEnds[index]!;
      const spec = specs[send.device]!;
      if (spec.kind !== 'host') return;
      const { target, remote } = spec.sends[send.connection]!;
      const { transport, name, source, destination, group } = flow;
      const hasMachines = (host: number): boolean => {
        const own = specs[host]!;
        return own.kind === 'host' && own.nic !== null;
      };
      const found: FlowOfFrames = {
        flow: index,
        name,
        framing: framingOf(flow),
        wire: wireOf(flow),
        connection: send.connection,
        remote,
        ackEvery: transport.kind === 'reliable' ? transport.ackEvery : 0,
        vm: hasMachines(source) ? flow.vm : 0,
        toVm: !group && hasMachines(destination) ? flow.toVm : 0,
      };
      put(this.forward, pairOf(spec.position, target), remote, found);
      put(this.backward, spec.position, send.connection, found);
    });
  }

  /** Of data, by source, target and the connection there. */
  ofData(source: number, target: number, connection: number): FlowOfFrames | undefined {
    return this.forward.get(pairOf(source, target))?.get(connection);
  }

  /** Of an answer, by its destination and the connection there. */
  ofAnswer(target: number, connection: number): FlowOfFrames | undefined {
    return this.backward.get(target)?.get(connection);
  }
}

function wireOf({ transport }: Flow): TransportWire | null {
  if (transport.kind === 'raw') return null;
  const slice = TRANSPORTS.find(({ name }) => name === transport.name);
  return slice?.wire?.(transport.settings) ?? null;
}

function pairOf(source: number, target: number): number {
  return source * STATIONS + target;
}

function put<Item>(
  all: Map<number, Map<number, Item>>,
  station: number,
  connection: number,
  item: Item,
): void {
  const own = all.get(station) ?? new Map<number, Item>();
  all.set(station, own.set(connection, item));
}
