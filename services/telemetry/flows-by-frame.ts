import type { Fabric } from '../fabric/assembly/fabric.js';
import type { Framing } from '../fabric/assembly/framing.js';
import { framingOf } from '../fabric/assembly/framing.js';

/** What frames do not carry themselves: of which flow they are, and how it is cut. */
export interface FlowOfFrames {
  readonly flow: number;
  readonly name: string;
  readonly framing: Framing;
  /** One acknowledgement for so many packets; 0 without a transport. */
  readonly ackEvery: number;
}

/** More than there are: a pair of them is one number. */
const STATIONS = 2 ** 26;

/** Flows by what their frames, and the answers to these, have in common. */
export class FlowsByFrame {
  private readonly forward = new Map<number, Map<number, FlowOfFrames>>();
  private readonly backward = new Map<number, Map<number, FlowOfFrames>>();

  constructor({ flows, flowEnds, specs }: Fabric) {
    flows.forEach((flow, index) => {
      const { send } = flowEnds[index]!;
      const spec = specs[send.device]!;
      if (spec.kind !== 'host') return;
      const { target, remote } = spec.sends[send.connection]!;
      const { transport, name } = flow;
      const found: FlowOfFrames = {
        flow: index,
        name,
        framing: framingOf(flow),
        ackEvery: transport.kind === 'reliable' ? transport.ackEvery : 0,
      };
      put(this.forward, pairOf(spec.position, target), remote, found);
      put(this.backward, spec.position, send.connection, found);
    });
  }

  /** Of data, by source, target and the connection there. */
  ofData(source: number, target: number, connection: number): FlowOfFrames | undefined {
    return this.forward.get(pairOf(source, target))?.get(connection);
  }

  /** Of an answer, by whom it goes to and the connection there. */
  ofAnswer(target: number, connection: number): FlowOfFrames | undefined {
    return this.backward.get(target)?.get(connection);
  }
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
