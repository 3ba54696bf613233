import type { HostSpec, ReceiveSpec, SendSpec } from '../../engine/contract/spec.js';
import { CARRIES_FLAG, KIND_DATA, KIND_RAW, packClass } from '../../engine/frame/frame-pool.js';
import { PRIORITY_TAGGED, wireOctets } from '../../engine/units/ethernet.js';
import { flowHash } from '../address.js';
import type { Flow, VlanTags } from '../load/flow.js';
import type { FlowEnds } from './assembly.js';
import type { Spread } from './spread.js';
import type { CongestionPlan } from './congestion-plan.js';
import type { Settings } from './settings.js';
import type { Fail } from '../topology/cabling.js';
import type { EqualPaths } from './equal-paths.js';
import type { UsualDscp } from './port-maps.js';
import type { FlowPaths, Hop } from './flow-paths.js';
import type { Framing } from './framing.js';
import { ackOctets, framingOf, pacePsPerOctet, tagOctets, telemetryOctets } from './framing.js';
import type { Ideal } from './ideal.js';
import { idealOf } from './ideal.js';
import { spreads } from '../../mechanisms/balancing-slice.js';
import { BY_FLOW, reordersFrames } from '../scenario/equal-cost.js';
import { type CarriedConnection, TransportPlan } from './transport-plan.js';

type HostEnds = Pick<HostSpec, 'sends' | 'receives'>;

export interface Connections {
  /** By host. */
  readonly hostEnds: readonly HostEnds[];
  /** By flow. */
  readonly flowEnds: readonly FlowEnds[];
}

interface ConnectionInput {
  readonly hosts: number;
  /** By group: the hosts in it. */
  readonly members: readonly (readonly number[])[];
  readonly paths: FlowPaths;
  /** It needs much memory for what it has found: nothing keeps it. */
  readonly equal: EqualPaths;
  readonly settings: readonly Settings[];
  readonly congestion: CongestionPlan;
  readonly usualDscp: UsualDscp;
  readonly fail: Fail;
}

/** A flow, its number, and the frames of its messages. */
interface FramedFlow {
  readonly flow: Flow;
  readonly index: number;
  readonly framing: Framing;
}

/** What limits a flow: its rate control, and its transport where it has one. */
interface Plans {
  readonly congestion: CongestionPlan;
  readonly carried: CarriedConnection | null;
  readonly usualDscp: UsualDscp;
}

/** How frames of a flow are spread that has several paths; null: they are not. */
function spreadOf(
  { priority, transport }: Flow,
  settings: ConnectionInput['settings'],
  carried: CarriedConnection | null,
): Spread | null {
  const spreading = settings.flatMap(({ switch: { ecmp } }) =>
    ecmp.name !== BY_FLOW && spreads(ecmp.settings, priority) ? [ecmp.name] : [],
  );
  const bySource = transport.kind === 'reliable' && transport.spreads;
  if (spreading.length === 0 && !bySource) return null;
  const isByFrame = bySource || spreading.some((name) => reordersFrames(name));
  const { roundTripPackets: packets = 0, acceptedPackets: accepted = Infinity } = carried ?? {};
  return { isByFrame, packets, accepted };
}

/** Assigns flows to the sends and receives of hosts. */
export function connect(
  flows: readonly Flow[],
  { hosts, members, paths, equal, settings, congestion, usualDscp, fail }: ConnectionInput,
): Connections {
  const numbers = numberFlows(flows, hosts);
  const transports = new TransportPlan(settings, fail);
  const sends: SendSpec[][] = Array.from({ length: hosts }, () => []);
  const receives: ReceiveSpec[][] = Array.from({ length: hosts }, () => []);
  const flowEnds = flows.map((flow, index): FlowEnds => {
    const framed = { flow, index, framing: framingOf(flow) };
    const [send, receive] = [numbers.send[index]!, numbers.receive[index]!];
    const destinations = flow.group
      ? members[flow.destination]!.filter((host) => host !== flow.source)
      : [flow.destination];
    const hopsOf = destinations.map((host) => paths.find(flow, host));
    const carried = transports.of(flow, framed.framing, hopsOf[0]!);
    const plans = { congestion, carried, usualDscp };
    sends[flow.source]![send] = sendSpec(framed, numbers, hopsOf[0]!, plans);
    const specs = hopsOf.map((hops) => receiveSpec(framed, hops, send, plans));
    if (flow.group) for (const list of receives) list[receive] = bystander(specs[0]!);
    destinations.forEach((host, i) => (receives[host]![receive] = specs[i]!));
    const levels = destinations.map((host) => equal.levels(flow, host));
    return {
      send: { device: flow.source, connection: send },
      receives: destinations.map((device) => ({ device, connection: receive })),
      spread: levels.some((level) => level !== null) ? spreadOf(flow, settings, carried) : null,
      ...farthest(
        hopsOf.map((hops, i) => {
          const alternatives = equal.alternatives(flow, destinations[i]!, hops);
          return idealOf(flow, framed.framing, alternatives, levels[i]!, settings);
        }),
      ),
    };
  });
  const hostEnds = sends.map((list, host) => ({ sends: list, receives: receives[host]! }));
  return { hostEnds, flowEnds };
}

/** By flow: its connection number at its source, and at its destination. */
interface Numbers {
  readonly send: Int32Array;
  readonly receive: Int32Array;
}

/**
 * A frame to a group has one connection number for all receivers, members or (where bridges flood)
 * not. So flows to groups come first at every host, with the same numbers.
 */
function numberFlows(flows: readonly Flow[], hosts: number): Numbers {
  const send = new Int32Array(flows.length);
  const receive = new Int32Array(flows.length);
  const sendCount = new Int32Array(hosts);
  let toGroups = 0;
  flows.forEach((flow, index) => {
    send[index] = sendCount[flow.source]!++;
    if (flow.group) receive[index] = toGroups++;
  });
  const receiveCount = new Int32Array(hosts).fill(toGroups);
  flows.forEach((flow, index) => {
    if (!flow.group) receive[index] = receiveCount[flow.destination]!++;
  });
  return { send, receive };
}

function sendSpec(
  { flow, index, framing }: FramedFlow,
  numbers: Numbers,
  hops: readonly Hop[],
  { congestion, carried, usualDscp }: Plans,
): SendSpec {
  const { transport, vlan } = flow;
  const telemetry = telemetryOctets(flow);
  const tags = tagOctets(vlan) + congestion.flowTagOctets(flow) + telemetry;
  const fullFrameOctets = framing.fullFrameOctets + tags;
  const reliable = transport.kind === 'reliable';
  return {
    flow: index,
    name: flow.name,
    source: flow.address ?? flow.source,
    target: flow.destination,
    hash: flowHash(flow.source, flow.destination, flow.priority, index),
    frameClass:
      (telemetry === 0 ? 0 : CARRIES_FLAG) |
      packClass({
        priority: flow.priority,
        dei: vlan.dei,
        dscp: flow.dscp ?? usualDscp(flow.source, flow.priority),
        ect: flow.ect,
        kind: reliable ? KIND_DATA : KIND_RAW,
        group: flow.group,
      }),
    vlan: vlanWord(vlan),
    vm: flow.vm,
    remote: numbers.receive[index]!,
    transport: carried?.spec ?? null,
    fullFrameOctets,
    lastFrameOctets: framing.lastFrameOctets + tags,
    packetsPerMessage: framing.packetsPerMessage,
    messages: flow.messages,
    windowPackets: carried?.windowPackets ?? Infinity,
    pacePsPerOctet: pacePsPerOctet(flow),
    timeoutPs: reliable ? transport.timeoutPs : Infinity,
    maxTimeoutPs: reliable ? transport.maxTimeoutPs : Infinity,
    fewPackets: reliable ? transport.fewPackets : 0,
    fewTimeoutPs: reliable ? transport.fewTimeoutPs : Infinity,
    startPs: flow.startPs,
    endPs: flow.endPs,
    release: flow.release,
    rate: congestion.rateOf(flow, wireOctets(fullFrameOctets), hops),
    flowId: congestion.flowId(flow, numbers.send[index]!),
    after: flow.after.map(({ flow: before, lead }) => ({
      receive: numbers.receive[before]!,
      lead,
    })),
    byOperation: flow.byOperation,
  };
}

/** Answers are sent with the tags that the frames arrive with, unless their NIC inserts others. */
function receiveSpec(
  { flow, index, framing }: FramedFlow,
  hops: readonly Hop[],
  send: number,
  { congestion, carried, usualDscp }: Plans,
): ReceiveSpec {
  const { transport, source, destination, startPs, messages } = flow;
  const reliable = transport.kind === 'reliable';
  const last = hops[hops.length - 1];
  const arriving = last === undefined ? flow.vlan : { ...flow.vlan, inner: last.inner };
  const answering = flow.answerVlan ?? arriving;
  const ackPriority = reliable ? transport.ackPriority : flow.priority;
  return {
    flow: index,
    transport: carried?.spec ?? null,
    packetsPerMessage: framing.packetsPerMessage,
    messages,
    overheadOctets:
      framing.overheadOctets +
      tagOctets(arriving) +
      telemetryOctets(flow) +
      congestion.arrivingFlowTagOctets(flow, hops),
    fullPayloadOctets: framing.fullFrameOctets - framing.overheadOctets,
    lastPayloadOctets: framing.lastPayloadOctets,
    startPs,
    source,
    sourceConnection: send,
    ackClass: packClass({
      priority: ackPriority,
      dei: answering.dei,
      dscp:
        (ackPriority === flow.priority ? flow.dscp : null) ?? usualDscp(destination, ackPriority),
      ect: false,
      kind: 0,
      group: false,
    }),
    ackOctets: ackOctets(flow) + tagOctets(answering) + telemetryOctets(flow),
    ackVlan: vlanWord(answering),
    vm: flow.toVm,
    hash: flowHash(destination, source, ackPriority, index),
    notify: congestion.notifyOf(flow),
    echoes: congestion.echoes(flow),
  };
}

/** At a host that is no member of the group: receives what is flooded and never completes. */
function bystander(spec: ReceiveSpec): ReceiveSpec {
  return { ...spec, packetsPerMessage: Infinity, messages: Infinity };
}

/** The VLANs of tags, as a frame has them. */
export function vlanWord({ inner, outer }: VlanTags): number {
  return (inner === 0 ? PRIORITY_TAGGED : (inner ?? 0)) | ((outer ?? 0) << 16);
}

/** A group's message has arrived when the farthest member has it. */
function farthest(ideals: readonly Ideal[]): Ideal {
  return ideals.reduce((a, b) => ((b.idealPs ?? 0) > (a.idealPs ?? 0) ? b : a));
}
