/**
 * What `summary.json` holds, declared once: its JSON Schema, and the check of what is written, come
 * from here. Times end in Ps (picoseconds of virtual time), sizes in Bytes, rates in Bps (bit/s).
 */

import { z } from 'zod';
import { CAUSE_WORDS } from '../../runtime/results/flow-cause.js';
import { FLOW_MEASURES } from '../../measures/flow-measures.js';
import { PORT_MEASURES } from '../../measures/port-measures.js';
import { number, only, orNone, publishedShape } from '../../mechanisms/measure.js';
import { MECHANISMS, MECHANISM_BYTES } from '../../mechanisms/registry.js';

/** Keys of mechanisms that the sources call so, too. */
export const BYTES_ANYWAY = MECHANISM_BYTES;

/** Rises when a key changes its name or meaning, or is gone; new keys leave it as it is. */
export const SUMMARY_VERSION = 1;

const text = z.string();
const textOrNone = text.nullable();
const counts = z.record(z.string(), number);
const row = <Shape extends z.ZodRawShape>(shape: Shape): z.ZodArray<z.ZodObject<Shape>> =>
  z.array(z.strictObject(shape));

const tally = z.strictObject({ done: number, total: number }).describe('Flows with a volume.');

const ranks = { p50: number, p99: number, p999: number, max: number };
const percentiles = z
  .strictObject({
    p50: orNone,
    p99: orNone,
    p999: orNone,
    max: orNone,
    count: number.describe('Values that are known.'),
    total: number.describe('Those, and flows that did not complete.'),
    atLeast: z.strictObject(ranks).describe('Lower bounds, where flows did not complete.'),
  })
  .nullable()
  .describe('By nearest rank; null where it falls on a flow that did not complete.');

const place = { port: text, priority: number };

const headroom = z
  .strictObject({
    waitBytes: number.describe('The longest frame ahead of the pause frame.'),
    controlBytes: number.describe('The pause frame.'),
    linkBytes: number.describe('Link, both ways.'),
    interfaceBytes: number,
    pipelineBytes: number,
    responseBytes: number,
    frameBytes: number.describe('The frame that the peer had just begun.'),
    fullPoolBytes: number,
    cellBytes: number.describe('Rounding to cells.'),
    totalBytes: number,
  })
  .describe('Headroom that the link needs (802.1Q Annex N).');

const deadlocks = row({
  closedPs: number.describe('When its last dependency arose.'),
  openedPs: orNone.describe('When it ended; null: it did not.'),
  ring: row({ device: text, ingress: text, egress: text, priority: number }),
});

const causeWord = z.enum(CAUSE_WORDS).describe('Why a flow is not finished.');

const identity = {
  schemaVersion: z.literal(SUMMARY_VERSION).describe('Of this file.'),
  scenario: text.describe('Name of the scenario.'),
  seed: number,
  status: z
    .enum(['complete', 'starved', 'stalled', 'deadlocked', 'interrupted', 'live', 'failed'])
    .describe('How the run ended.'),
  failure: z
    .strictObject({
      reason: text,
      timePs: number,
      device: text,
      port: text,
      priority: orNone,
    })
    .nullable()
    .describe('Why it failed or stands still: where, when and what.'),
  warnings: row({ message: text, load: textOrNone }).describe('Probable mistakes in the scenario.'),
  digest: text.describe('Equal for equal runs, wherever they are executed.'),
  deviceDigests: row({ device: text, digest: text }),
  plugins: row({
    name: text,
    kind: z.enum(['congestion-control', 'load', 'marking', 'balancing', 'arbiter']),
    file: text,
    sha256: text,
  }).describe('Algorithms of the scenario.'),
};

const totals = {
  virtualPs: number.describe('Virtual time of the run, in which all counters count.'),
  durationPs: orNone.describe('`duration` of the scenario; null: it ends with its load.'),
  elapsedSeconds: number.describe('Wall-clock time, in which equal runs differ.'),
  skipping: z
    .strictObject({
      jumps: number,
      skippedPs: number,
      excluded: textOrNone,
      nearest: z
        .strictObject({
          periodPs: number,
          device: text,
          what: text,
          kind: textOrNone,
          before: number.nullable(),
          after: number.nullable(),
        })
        .nullable(),
    })
    .nullable()
    .describe(
      'What was skipped, or why nothing was, in which equal runs differ; null: a short run in ' +
        'which every event was executed, or `--skip off`.',
    ),
  frameHops: number.describe('Frames that started on any link.'),
  events: number.describe('Events executed.'),
  devices: number,
  links: number,
  goodputBps: number.describe('Payload of all flows over the time in which any was offered.'),
  finished: tally,
};

const traffic = {
  priorities: row({
    priority: number,
    flowControl: text,
    sentFrames: number.describe('By hosts, and made on the way: messages, copies, duplicates.'),
    deliveredFrames: number.describe('Those that hosts received and did not discard.'),
    deliveredPayloadBytes: number,
    goodputBps: number,
    finished: tally,
    completionPs: percentiles,
    slowdown: percentiles,
    drops: counts.describe('Frames by reason.'),
    ...publishedShape(only(PORT_MEASURES, 'summarised')),
  }).describe('By priority.'),
  loads: row({
    load: text.describe('Its name.'),
    flows: number,
    finished: tally,
    payloadBytes: number,
    goodputBps: number,
    perFlowBps: z.strictObject({ min: number, p50: number, max: number }).describe('Goodput.'),
    completionPs: percentiles,
    slowdown: percentiles,
    ...publishedShape(only(FLOW_MEASURES, 'summarised')),
  }).describe('By load of the scenario.'),
  roles: z
    .strictObject({ culprit: number, victim: number, both: number, bystander: number })
    .nullable()
    .describe('Flows by what they are to congestion; null: episodes were not recorded.'),
  stalls: row({
    flow: number,
    name: text,
    sincePs: number.describe('Its last delivery.'),
    port: textOrNone.describe('The port on its path that was blocked longest.'),
    peer: textOrNone,
    unreachableAt: textOrNone,
    cause: causeWord,
  }).describe('Flows that stopped progressing.'),
  causes: row({ cause: causeWord, flows: number }).describe(
    'Flows that are not finished, by cause.',
  ),
};

const perRank = z.strictObject({ minPs: number, p50Ps: number, maxPs: number });

const jobs = {
  jobs: row({
    job: text.describe('Name of its load.'),
    ranks: number,
    operations: number,
    doneOperations: number,
    startPs: number,
    iterationPs: orNone.describe('Until all is done; null: it is not.'),
    rooflinePs: orNone.describe('What no network can beat; null: not done, or unknown.'),
    finished: perRank.nullable().describe('By rank, from the start; null: some is not done.'),
    computing: perRank.describe('Time in which a rank computes.'),
    exposed: perRank.nullable().describe('Time until it is done in which a rank does not.'),
    collectives: row({
      kind: text,
      ranks: number,
      vectorBytes: number,
      count: number,
      done: number,
      timePs: orNone.describe('Mean, from the first rank that begins to the last that is done.'),
      slowestPs: orNone,
      algorithmBps: orNone.describe('Vector over time.'),
      busBps: orNone.describe('The same times the factor of nccl-tests.'),
    }).describe('Alike in kind, ranks and size.'),
  }).describe('Jobs of the scenario.'),
};

const fabric = {
  margins: row({
    ...place,
    xoffBytes: orNone.describe('Threshold while the pool is idle; null: none.'),
    peakBytes: number,
    headroomBytes: number,
    headroomUsedBytes: number,
    needed: headroom,
  }).describe('Headroom of lossless priorities, as table margins.'),
  buffers: row({
    device: text,
    poolBytes: number,
    peakPoolBytes: number,
    pools: row({
      pool: text,
      slice: number,
      sizeBytes: orNone.describe('Null: headroom that is not shared.'),
      usedBytes: number,
      peakBytes: number,
    })
      .describe('Of a buffer with pools, as table pools.')
      .optional(),
    groups: row({
      port: text,
      group: number,
      usedBytes: number,
      headroomUsedBytes: number,
      peakBytes: number,
      peakSharedBytes: number,
      peakHeadroomBytes: number,
      refusedFrames: number,
    })
      .describe('Of the same, as table priority_groups.')
      .optional(),
    queues: row({
      port: text,
      queue: number,
      frames: number,
      sentBytes: number,
      refusedFrames: number,
      refusedBytes: number,
      usedBytes: number,
      peakBytes: number,
      peakSharedBytes: number,
    })
      .describe('Of the same, as table queues.')
      .optional(),
  }).describe('Shared buffers of switches.'),
  rates: row({
    flow: number,
    name: text,
    control: text,
    lineBps: number,
    rateBps: number,
    targetBps: number,
    leastBps: number,
    notificationsSent: orNone,
    notifications: number,
    cuts: number,
  }).describe('Connections with a rate control, as table rates.'),
  slots: row({ device: text, region: text, slots: number, used: number, peak: number }).describe(
    'Frame data buffers in slots, as table slots.',
  ),
  slotPorts: row({
    port: text,
    flowControl: z.boolean(),
    sourceSlots: number,
    peakSlots: number,
    xoffSlots: orNone,
    headroomSlots: orNone,
    neededSlots: orNone,
    xoffs: number,
    xons: number,
    peerPausedPs: number,
    downgradedFrames: number,
    framesWithoutSlot: number,
    wredDrops: number,
  }).describe('Their ports, as table slot_ports.'),
  nicLatencies: row({
    device: text,
    latencies: row({
      direction: z.enum(['transmit', 'receive']),
      tc: number,
      frames: number,
      leastPs: number,
      meanPs: number,
      mostPs: number,
    }),
  }).describe('Delays in NICs that are modelled, by traffic class.'),
};

const incidents = {
  deadlocks: deadlocks.describe('Cyclic buffer dependencies, where episodes are recorded.'),
  standingDeadlocks: deadlocks.describe('Those that exist at the end, always recorded.'),
  storms: row({
    port: text,
    priority: orNone,
    startPs: number,
    noticedPs: number,
    endPs: orNone,
  }).describe('Priorities paused for longer than `observe.storm`.'),
  faults: row({
    fault: text,
    kind: text,
    at: z.array(text).describe('Ports where it acts, the first of them.'),
    spells: row({ startPs: number, endPs: orNone }).describe(
      'When it was active, the first times.',
    ),
    ports: number,
    times: number,
    activePs: number,
    hits: number.describe('Frames affected, or times that it acted.'),
    withheld: number,
    drops: counts.describe('Frames that it dropped, by reason.'),
    flows: number.describe('Flows that may pass it and were under way while it was active.'),
    overflows: number.describe('Frames that found headroom full where it disturbs flow control.'),
  }).describe('Effects of declared and injected faults.'),
  live: z
    .strictObject({
      hosts: row({
        host: text,
        entered: number.describe('Frames of the real host that joined a queue of its NIC.'),
        refused: number.describe('Frames that found no room there: it offered too much.'),
        left: number.describe('Frames that left the fabric for it.'),
      }),
      time: z
        .strictObject({
          endPs: number.describe('Everything before was executed; a replay ends here.'),
          inTime: number.describe('Frames that entered and left no later than `live.late`.'),
          late: number,
          worstSlipPs: number.describe('Wall-clock time by which the latest was late.'),
          scale: number.describe('A second of virtual time took so many, at the end.'),
          fellBehind: z.boolean().describe('The engine was once later than `live.late`.'),
        })
        .nullable()
        .describe('How well virtual time followed the wall clock; null of a replay.'),
      refusals: row({ host: text, reason: text, frames: number }),
    })
    .nullable()
    .describe('Ports with real hosts behind them; null: every host is emulated.'),
  discovery: z
    .strictObject({
      convergence: row({ fromPs: number, durationPs: orNone }),
      lldpdus: number,
    })
    .nullable()
    .describe('LLDP and DCBX; null where they do not run.'),
  wire: z
    .strictObject({ fingerprint: text, ports: row({ port: text, fingerprint: text }) })
    .nullable()
    .describe('Hashes over what was sent (`observe: { wire: true }`).'),
  expectations: row({
    text,
    metric: text,
    actual: z.union([number, text]).nullable().describe('In base units; null: there is none.'),
    ok: z.boolean(),
    reason: textOrNone,
  }).describe('What `expect` demands, and whether it holds.'),
};

const mechanisms = Object.assign(
  {},
  ...MECHANISMS.map(({ results }) => results.published),
) as z.core.$ZodLooseShape;

/** Keys of mechanisms are there only where the scenario uses them. */
const summarySchema = z.strictObject({
  ...identity,
  ...totals,
  ...traffic,
  ...jobs,
  ...fabric,
  ...incidents,
  ...Object.fromEntries(
    Object.entries(mechanisms).map(([key, shape]) => [key, (shape as z.ZodType).optional()]),
  ),
});

export function summaryJsonSchema(): object {
  return {
    $id: `urn:selvage:summary:${SUMMARY_VERSION}`,
    title: 'summary.json of a run of Selvage',
    ...z.toJSONSchema(summarySchema, { reused: 'ref' }),
  };
}
