/** The tables of every run, from its results. */

import { FLOW_MEASURES } from '../../measures/flow-measures.js';
import { PORT_MEASURES } from '../../measures/port-measures.js';
import { measuredColumns } from '../../mechanisms/measure.js';
import { DROP_REASONS } from '../../engine/contract/probe.js';
import { CAUSE_WORDS } from '../../runtime/results/flow-cause.js';
import { columnName, columnsOf, resultTable } from '../../mechanisms/result-table.js';
import type { ResultTable } from '../../mechanisms/result-table.js';
import type { OperationResult } from '../../jobs/job-rows.js';
import type {
  FlowResult,
  GroupResult,
  MarginResult,
  PoolResult,
  PortPriorityResult,
  PortResult,
  QueueResult,
  RateResult,
  RunResults,
  SlotPortResult,
  SlotResult,
} from '../../runtime/results/results.js';

const flow = columnsOf<FlowResult>();

const FLOWS: ResultTable<RunResults> = resultTable({
  name: 'flows',
  about: 'a flow',
  rows: ({ flows }) => flows,
  columns: [
    flow.whole('flow', 'number', 'Its number, from 0.', (f) => f.flow),
    flow.text('name', 'Its name: load, source and destination.', (f) => f.name),
    flow.text('load', 'The load of the scenario that it belongs to.', (f) => f.load),
    flow.text('source', 'Host that sends.', (f) => f.source),
    flow.text('destination', 'Host or group that receives.', (f) => f.destination),
    flow.whole('priority', '0 to 7', 'Its priority (PCP).', (f) => f.priority),
    flow.text('transport', '`raw`, or the name of its transport.', (f) => f.transport),
    ...measuredColumns(FLOW_MEASURES),
    flow.text(
      'unreachable_at',
      'Port or switch at which its frames had no way on, at the end.',
      (f) => f.unreachableAt,
    ),
    flow.text(
      'cause',
      `Why it is not finished: ${CAUSE_WORDS.map((word) => `\`${word}\``).join(', ')}.`,
      (f) => f.cause?.word ?? null,
    ),
    flow.text('cause_at', 'Port or device where that is so.', (f) => f.cause?.at ?? null),
    flow.text('cause_by', 'What does it there.', (f) => f.cause?.by ?? null),
    flow.whole('stands_still', '0 or 1', '1: nothing of it arrives any more.', (f) =>
      f.cause === null ? null : Number(f.cause.standsStill),
    ),
  ],
});

type PortRow = PortPriorityResult & Pick<PortResult, 'port' | 'peer' | 'rateBps'>;
const port = columnsOf<PortRow>();

/** Why a frame is lost; one out of sequence is sent again. */
export const LOSSES = DROP_REASONS.filter((reason) => reason !== 'out-of-sequence');

const PORTS: ResultTable<RunResults> = resultTable({
  name: 'ports',
  about: 'a port and a priority that it sent, received, dropped or was paused for',
  rows: ({ ports }) =>
    ports.flatMap(({ priorities, port: name, peer, rateBps }) =>
      priorities.map((own): PortRow => ({ ...own, port: name, peer, rateBps })),
    ),
  columns: [
    port.text('port', 'Its name, as `leaf1:p3`.', (p) => p.port),
    port.text('peer', 'Port of its link partner.', (p) => p.peer),
    port.whole('rate_bps', 'bit/s', 'Rate of its link.', (p) => p.rateBps),
    port.whole('priority', '0 to 7', 'The priority.', (p) => p.priority),
    ...measuredColumns(PORT_MEASURES),
    ...LOSSES.map((reason) =>
      port.whole(
        dropColumn(reason),
        'frames',
        `Frames dropped: \`${reason}\`.`,
        (p) => p.drops[reason] ?? 0,
      ),
    ),
  ],
});

/** The column of `ports` with frames dropped for a reason. */
export function dropColumn(reason: string): string {
  return `drops_${columnName(reason)}`;
}

const margin = columnsOf<MarginResult>();

interface PoolRow extends PoolResult {
  readonly device: string;
}

const pool = columnsOf<PoolRow>();

const POOLS: ResultTable<RunResults> = resultTable({
  name: 'pools',
  about: 'a pool of a configured buffer, in one slice of the packet memory',
  rows: ({ buffers }) =>
    buffers.flatMap(({ device, pools = [] }) => pools.map((row) => ({ device, ...row }))),
  columns: [
    pool.text('switch', 'Its name.', (p) => p.device),
    pool.text('pool', 'As it is configured; `headroom`: the shared headroom.', (p) => p.pool),
    pool.whole('slice', 'number', 'The slice, from 0.', (p) => p.slice),
    pool.real(
      'size_bytes',
      'bytes',
      'What may be shared of it; empty: no limit.',
      (p) => p.sizeOctets,
    ),
    pool.real(
      'occupancy_bytes',
      'bytes',
      'At the end: SAI_BUFFER_POOL_STAT_CURR_OCCUPANCY_BYTES; of headroom ' +
        'XOFF_ROOM_CURR_OCCUPANCY_BYTES.',
      (p) => p.usedOctets,
    ),
    pool.real(
      'watermark_bytes',
      'bytes',
      'SAI_BUFFER_POOL_STAT_WATERMARK_BYTES; of headroom XOFF_ROOM_WATERMARK_BYTES.',
      (p) => p.peakOctets,
    ),
  ],
});

const group = columnsOf<GroupResult>();
const OF_GROUP = 'SAI_INGRESS_PRIORITY_GROUP_STAT';

const GROUPS: ResultTable<RunResults> = resultTable({
  name: 'priority_groups',
  about: 'a priority group of a port of a switch with pools, which held anything',
  rows: ({ buffers }) => buffers.flatMap(({ groups = [] }) => groups),
  columns: [
    group.text('port', 'Its name.', (g) => g.port),
    group.whole('priority_group', '0 to 7', 'Its number.', (g) => g.group),
    group.real(
      'occupancy_bytes',
      'bytes',
      `${OF_GROUP}_CURR_OCCUPANCY_BYTES, at the end.`,
      (g) => g.usedOctets,
    ),
    group.real(
      'headroom_occupancy_bytes',
      'bytes',
      `${OF_GROUP}_XOFF_ROOM_CURR_OCCUPANCY_BYTES, at the end.`,
      (g) => g.headroomUsedOctets,
    ),
    group.real('watermark_bytes', 'bytes', `${OF_GROUP}_WATERMARK_BYTES.`, (g) => g.peakOctets),
    group.real(
      'shared_watermark_bytes',
      'bytes',
      `${OF_GROUP}_SHARED_WATERMARK_BYTES: beyond its reservation, and not in its headroom.`,
      (g) => g.peakSharedOctets,
    ),
    group.real(
      'headroom_watermark_bytes',
      'bytes',
      `${OF_GROUP}_XOFF_ROOM_WATERMARK_BYTES.`,
      (g) => g.peakHeadroomOctets,
    ),
    group.whole(
      'dropped_packets',
      'frames',
      `${OF_GROUP}_DROPPED_PACKETS: frames that it did not admit.`,
      (g) => g.refusedFrames,
    ),
  ],
});

const queue = columnsOf<QueueResult>();

const QUEUES: ResultTable<RunResults> = resultTable({
  name: 'queues',
  about: 'an egress queue of a port of a switch with pools, which had any frames',
  rows: ({ buffers }) => buffers.flatMap(({ queues = [] }) => queues),
  columns: [
    queue.text('port', 'Its name.', (q) => q.port),
    queue.whole('queue', '0 to 7', 'Its number.', (q) => q.queue),
    queue.whole('packets', 'frames', 'SAI_QUEUE_STAT_PACKETS.', (q) => q.frames),
    queue.whole('bytes', 'bytes', 'SAI_QUEUE_STAT_BYTES.', (q) => q.sentOctets),
    queue.whole(
      'dropped_packets',
      'frames',
      'SAI_QUEUE_STAT_DROPPED_PACKETS: frames that it did not take.',
      (q) => q.refusedFrames,
    ),
    queue.whole('dropped_bytes', 'bytes', 'SAI_QUEUE_STAT_DROPPED_BYTES.', (q) => q.refusedOctets),
    queue.real(
      'occupancy_bytes',
      'bytes',
      'SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES, at the end.',
      (q) => q.usedOctets,
    ),
    queue.real('watermark_bytes', 'bytes', 'SAI_QUEUE_STAT_WATERMARK_BYTES.', (q) => q.peakOctets),
    queue.real(
      'shared_watermark_bytes',
      'bytes',
      'SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES: beyond its reservation.',
      (q) => q.peakSharedOctets,
    ),
  ],
});

const MARGINS: ResultTable<RunResults> = resultTable({
  name: 'margins',
  about: 'a port of a switch and a lossless priority: the headroom it has, used and needs',
  rows: ({ margins }) => margins,
  columns: [
    margin.text('port', 'Its name.', (m) => m.port),
    margin.whole('priority', '0 to 7', 'The priority.', (m) => m.priority),
    margin.real('xoff_bytes', 'bytes', 'XOFF threshold while the pool is idle; empty: none.', (m) =>
      Number.isFinite(m.xoffOctets) ? m.xoffOctets : null,
    ),
    margin.real('peak_bytes', 'bytes', 'Fullest ingress buffer.', (m) => m.peakOctets),
    margin.real('headroom_bytes', 'bytes', 'Headroom that it has.', (m) => m.headroomOctets),
    margin.real('headroom_used_bytes', 'bytes', 'Most of it in use.', (m) => m.headroomUsedOctets),
    margin.real(
      'needed_bytes',
      'bytes',
      'Headroom that its link needs (802.1Q Annex N): the sum of what follows.',
      (m) => m.needed.totalOctets,
    ),
    margin.real(
      'wait_bytes',
      'bytes',
      'The longest frame ahead of the pause frame.',
      (m) => m.needed.waitOctets,
    ),
    margin.real('control_bytes', 'bytes', 'The pause frame.', (m) => m.needed.controlOctets),
    margin.real('link_bytes', 'bytes', 'Link, both ways.', (m) => m.needed.linkOctets),
    margin.real('interface_bytes', 'bytes', 'Interface delays.', (m) => m.needed.interfaceOctets),
    margin.real('pipeline_bytes', 'bytes', 'Ingress pipeline.', (m) => m.needed.pipelineOctets),
    margin.real('response_bytes', 'bytes', 'Response time.', (m) => m.needed.responseOctets),
    margin.real(
      'frame_bytes',
      'bytes',
      'The frame that the peer had just begun.',
      (m) => m.needed.frameOctets,
    ),
    margin.real(
      'full_pool_bytes',
      'bytes',
      'A frame that finds the pool full before XOFF is sent.',
      (m) => m.needed.fullPoolOctets,
    ),
    margin.real('cell_bytes', 'bytes', 'Rounding to cells.', (m) => m.needed.cellOctets),
  ],
});

const rate = columnsOf<RateResult>();

const RATES: ResultTable<RunResults> = resultTable({
  name: 'rates',
  about: 'a connection with a rate control',
  rows: ({ rates }) => rates,
  columns: [
    rate.whole('flow', 'number', 'Number of its flow.', (r) => r.flow),
    rate.text('name', 'Name of its flow.', (r) => r.name),
    rate.text('control', 'Its congestion control.', (r) => r.control),
    rate.real('line_bps', 'bit/s', 'Line rate.', (r) => r.lineBps),
    rate.real('rate_bps', 'bit/s', 'Its rate at the end.', (r) => r.rateBps),
    rate.real('target_bps', 'bit/s', 'The rate that it recovers to.', (r) => r.targetBps),
    rate.real('least_bps', 'bit/s', 'Its lowest rate.', (r) => r.leastBps),
    rate.whole(
      'notifications_sent',
      'messages',
      'Notifications (CNPs) that the receiver sent; empty: switches send them.',
      (r) => r.notificationsSent,
    ),
    rate.whole('notifications', 'messages', 'Those that it received.', (r) => r.notifications),
    rate.whole('cuts', 'times', 'Rate decreases.', (r) => r.cuts),
  ],
});

const slot = columnsOf<SlotResult>();

const SLOTS: ResultTable<RunResults> = resultTable({
  name: 'slots',
  about: 'a region of the frame data buffer of a switch that stores a frame per slot',
  rows: ({ slots }) => slots,
  columns: [
    slot.text('device', 'The switch.', (s) => s.device),
    slot.text('region', '`shared`, `sources`, or a class as `P7`.', (s) => s.region),
    slot.whole('slots', 'slots', 'Its size.', (s) => s.slots),
    slot.whole('used', 'slots', 'In use at the end.', (s) => s.used),
    slot.whole('peak', 'slots', 'Most in use.', (s) => s.peak),
  ],
});

const slotPort = columnsOf<SlotPortResult>();

const SLOT_PORTS: ResultTable<RunResults> = resultTable({
  name: 'slot_ports',
  about: 'a port of such a switch',
  rows: ({ slotPorts }) => slotPorts,
  columns: [
    slotPort.text('port', 'Its name.', (p) => p.port),
    slotPort.whole('flow_control', '0 or 1', 'Whether it sends PAUSE.', (p) =>
      p.flowControl ? 1 : 0,
    ),
    slotPort.whole('source_slots', 'slots', 'Reserved for its ingress.', (p) => p.sourceSlots),
    slotPort.whole('peak_slots', 'slots', 'Most in use by its ingress.', (p) => p.peakSlots),
    slotPort.whole('xoff_slots', 'slots', 'XOFF threshold.', (p) => p.xoffSlots),
    slotPort.whole('headroom_slots', 'slots', 'Headroom behind XOFF.', (p) => p.headroomSlots),
    slotPort.whole('needed_slots', 'slots', 'Headroom that its link needs.', (p) => p.neededSlots),
    slotPort.whole('xoffs', 'frames', 'Xoff frames sent.', (p) => p.xoffs),
    slotPort.whole('xons', 'frames', 'Xon frames sent.', (p) => p.xons),
    slotPort.whole(
      'peer_paused_ps',
      'ps',
      'How long its link partner was paused.',
      (p) => p.peerPausedPs,
    ),
    slotPort.whole(
      'downgraded_frames',
      'frames',
      'Frames that were queued in the lowest class.',
      (p) => p.downgradedFrames,
    ),
    slotPort.whole(
      'frames_without_slot',
      'frames',
      'Frames dropped for want of a slot.',
      (p) => p.framesWithoutSlot,
    ),
    slotPort.whole('wred_drops', 'frames', 'Frames dropped by WRED.', (p) => p.wredDrops),
  ],
});

const operation = columnsOf<OperationResult>();
const happened = (ps: number): number | null => (ps < 0 ? null : ps);

const OPERATIONS: ResultTable<RunResults> = resultTable({
  name: 'operations',
  about: 'an operation of a rank of a job',
  rows: ({ operations }) => operations,
  columns: [
    operation.text('job', 'Its job.', (o) => o.job),
    operation.whole('rank', 'number', 'Its rank, from 0.', (o) => o.rank),
    operation.text('host', 'The host of the rank.', (o) => o.host),
    operation.whole('operation', 'number', 'Its number in the job.', (o) => o.operation),
    operation.text('name', 'Its name in the file; empty: it has none.', (o) => o.name),
    operation.text('kind', '`compute`, `send` or `receive`.', (o) => o.kind),
    operation.whole('peer', 'number', 'The other rank; empty: any, or none.', (o) =>
      happened(o.peer),
    ),
    operation.whole(
      'amount',
      'ps, bytes',
      'Duration of a computation; size of a message.',
      (o) => o.amount,
    ),
    operation.whole('ready_ps', 'ps', 'When it had nothing to wait for.', (o) =>
      happened(o.readyPs),
    ),
    operation.whole('start_ps', 'ps', 'When it started.', (o) => happened(o.startedPs)),
    operation.whole('done_ps', 'ps', 'When it was done; empty: it is not.', (o) =>
      happened(o.donePs),
    ),
    operation.whole('released_by', 'number', 'The operation that it waited for last.', (o) =>
      happened(o.releasedBy),
    ),
    operation.whole('stream_after', 'number', 'The operation that had its stream.', (o) =>
      happened(o.streamHeldBy),
    ),
    operation.whole('collective', 'number', 'The collective that it is a part of.', (o) =>
      happened(o.collective),
    ),
    operation.whole('took', 'number', 'The send whose message a receive took.', (o) =>
      happened(o.took),
    ),
    operation.whole('flow', 'number', 'The flow of a send to another host.', (o) =>
      happened(o.flow),
    ),
  ],
});

/** In the order in which a reader looks them up; mechanisms add their own. */
export const RUN_TABLES = [
  FLOWS,
  OPERATIONS,
  PORTS,
  MARGINS,
  POOLS,
  GROUPS,
  QUEUES,
  RATES,
  SLOTS,
  SLOT_PORTS,
] as const;

/** Written even when they have no rows. */
export const ALWAYS = new Set([FLOWS, PORTS, MARGINS].map(({ name }) => name));
