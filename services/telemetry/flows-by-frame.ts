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

/** Flows by what their frames, and the answers to these, have in common. */
export class FlowsByFrame {
  private readonly forward = new Map<string, FlowOfFrames>();
  private readonly backward = new Map<string, FlowOfFrames>();

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
      this.forward.set(`${spec.position} ${target} ${remote}`, found);
      this.backward.set(`${spec.position} ${send.connection}`, found);
    });
  }

  /** Of data, by source, target and the connection there. */
  ofData(source: number, target: number, connection: number): FlowOfFrames | undefined {
    return this.forward.get(`${source} ${target} ${connection}`);
  }

  /** Of an answer, by whom it goes to and the connection there. */
  ofAnswer(target: number, connection: number): FlowOfFrames | undefined {
    return this.backward.get(`${target} ${connection}`);
  }
}
