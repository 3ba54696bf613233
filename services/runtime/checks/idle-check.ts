import { NullProbe } from '../../engine/contract/probe.js';
import type { Engine } from '../../engine/device/engine.js';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import { USED } from '../../engine/buffer/shared-buffer.js';
import { LENGTH } from '../../engine/frame/frame-pool.js';
import { WIRE_OVERHEAD_OCTETS, wireOctets } from '../../engine/units/ethernet.js';
import { formatPs } from '../../engine/units/time.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { portsOfFlow } from '../../telemetry/congestion/flow-paths.js';
import type { Breach } from './breach.js';

/** Of a pause: more than this part of it may not be in vain. */
const MOST_IN_VAIN = 1 / 2;
/** A pause, or its end, may be this many round trips late. */
const ROUND_TRIPS = 2;

const CLASSES = [0, 1, 2, 3, 4, 5, 6, 7];

/** What one priority of a host may pause for, and wait for. */
interface Sender {
  readonly host: number;
  readonly port: number;
  readonly priority: number;
  /** All ports by which its flows may go, and their longest round trip. */
  readonly path: readonly number[];
  readonly roundTripPs: number;
  /** Ports of the receivers: what they have not read yet is a reason to pause. */
  readonly receivers: readonly number[];
}

/**
 * Conservation of work, which no port sees alone: a host that has a frame to send is not paused
 * while every port on its way, of all its flows of the priority, has long been idle with nothing
 * to send. Only pauses are judged, without faults: what is counted waits for messages, and is
 * booked. A pause that is stated in advance goes by how fast a queue has drained so far: where
 * other classes have had a part of the link, and leave it to the queue, it lasts longer than the
 * queue does.
 */
export class IdleCheck extends NullProbe {
  breach: Breach | null = null;
  /** By port: when its last frame is over. */
  private readonly busyUntil: Float64Array;
  /** By port and priority: since when it is paused; -1: it is not. */
  private readonly pausedSince: Float64Array;
  private readonly leastPs: number;
  /** Where pauses are stated in advance: when a port last sent a frame of a class. */
  private readonly lastOfClass: Float64Array | null;
  private readonly senders = new Map<number, Sender>();

  constructor(
    fabric: Fabric,
    private readonly engine: Engine,
  ) {
    super();
    const { count } = engine.shared.ports;
    this.busyUntil = new Float64Array(count);
    this.pausedSince = new Float64Array(count * 8).fill(-1);
    this.leastPs = leastPausePs(fabric);
    const isStated = fabric.mechanisms.some(({ slice }) => slice.leastPausePs !== undefined);
    this.lastOfClass = isStated ? new Float64Array(count * 8).fill(-Infinity) : null;
    for (const sender of sendersOf(fabric, engine)) {
      this.senders.set(sender.port * 8 + sender.priority, sender);
    }
  }

  /**
   * Whether the check applies: faults explain pauses, and so do those of a configured length. A
   * watchdog drops what a port was blocked by, so that nothing shows afterwards why it was idle.
   */
  static isWanted(fabric: Fabric): boolean {
    const { specs, scenario } = fabric;
    if (scenario.faults.length > 0 || leastPausePs(fabric) === Infinity) return false;
    return specs.every(({ ports }) =>
      ports.every(({ faults, pausing }) => faults.length === 0 && !(pausing?.watchdog ?? null)),
    );
  }

  /** The run continues from another state. */
  restored(): void {
    this.pausedSince.fill(-1);
  }

  override frameSent(
    device: number,
    local: number,
    now: number,
    pool: FramePool,
    frame: number,
    trafficClass: number,
  ): void {
    const { devices, shared } = this.engine;
    const port = devices[device]!.firstPort + local;
    if (this.lastOfClass !== null) this.lastOfClass[port * 8 + trafficClass] = now;
    const octets = pool.words[frame + LENGTH]! + WIRE_OVERHEAD_OCTETS;
    this.busyUntil[port] = now + octets * shared.ports.octetPs(port);
  }

  override blockedChanged(device: number, local: number, now: number, priorities: number): void {
    const port = this.engine.devices[device]!.firstPort + local;
    for (let priority = 0; priority < 8; priority++) {
      const at = port * 8 + priority;
      const since = this.pausedSince[at]!;
      if ((priorities & (1 << priority)) !== 0) {
        if (since < 0) this.pausedSince[at] = now;
        continue;
      }
      this.pausedSince[at] = -1;
      const sender = since < 0 ? undefined : this.senders.get(at);
      if (sender !== undefined) this.breach ??= this.breachOf(sender, since, now);
    }
  }

  private breachOf(sender: Sender, sincePs: number, now: number): Breach | null {
    const { host, port, priority, path, roundTripPs, receivers } = sender;
    const { ports, queues, pool, buffer } = this.engine.shared;
    const head = queues.head(port, ports.classOf(port, priority));
    if (head < 0) return null;
    let idleSince = Math.max(sincePs, pool.released(head));
    for (const on of path) {
      if (on !== port && CLASSES.some((tc) => queues.head(on, tc) >= 0)) return null;
      idleSince = Math.max(idleSince, this.busyUntil[on]!);
    }
    if (receivers.some((at) => CLASSES.some((group) => buffer.get(at, group, USED) > 0)))
      return null;
    if (path.some((on) => this.wasShared(on, priority, 2 * sincePs - now))) return null;
    const inVain = now - idleSince;
    const allowed = this.leastPs + ROUND_TRIPS * roundTripPs;
    if (inVain <= allowed || inVain <= MOST_IN_VAIN * (now - sincePs)) return null;
    const reason =
      `a host was paused for ${formatPs(now - sincePs)} with a frame to send, and for the last ` +
      `${formatPs(inVain)} of it every port on its way was idle`;
    return { reason, timePs: now, device: host, port: 0, priority };
  }

  /** Whether other classes have had a part of a port since then: the pause may go by that. */
  private wasShared(port: number, priority: number, sincePs: number): boolean {
    const own = this.engine.shared.ports.classOf(port, priority);
    return CLASSES.some(
      (tc) => tc !== own && (this.lastOfClass?.[port * 8 + tc] ?? -Infinity) > sincePs,
    );
  }
}

/** The longest that any mechanism of the fabric pauses for at least. */
function leastPausePs({ mechanisms }: Fabric): number {
  const least = mechanisms.flatMap(({ slice, context }) =>
    context.devices.map(({ section }) => slice.leastPausePs?.(section) ?? 0),
  );
  return Math.max(0, ...least);
}

/** Ports of a priority of a host, by number. */
interface Ways {
  readonly path: Set<number>;
  readonly receivers: Set<number>;
}

/** Priorities of plain hosts that pauses alone hold back. */
function sendersOf(fabric: Fabric, engine: Engine): Sender[] {
  const { devices, shared } = engine;
  const { ports } = shared;
  const longest = wireOctets(Math.max(...fabric.longestFrameOctets));
  const passPs = (on: number): number =>
    2 * (ports.latencyPs(on) + longest * ports.octetPs(on) + ports.pipelinePs(on));
  return [...waysOf(fabric, engine)].flatMap(([key, { path, receivers }]): Sender[] => {
    const [host, priority] = key.split(' ').map(Number) as [number, number];
    const { spec, firstPort } = devices[host]!;
    const ends = [host, ...Array.from(receivers, (port) => ports.owner(port))];
    const isPlain = ends.every((d) => {
      const own = devices[d]!.spec;
      return own.kind === 'host' && own.nic === null;
    });
    const needsGrants = ports.isCharged(firstPort, priority);
    if (!isPlain || needsGrants || spec.ports.length !== 1) return [];
    const roundTripPs = [...path].reduce((sum, on) => sum + passPs(on), 0);
    const sender = { host, port: firstPort, priority, roundTripPs };
    return [{ ...sender, path: [...path], receivers: [...receivers] }];
  });
}

/** By host and priority. */
function waysOf(fabric: Fabric, { devices }: Engine): Map<string, Ways> {
  const { linkEnds, flows, flowEnds } = fabric;
  const numberOf = new Map(
    linkEnds.flatMap((ends, device) =>
      ends.map(({ name, port }) => [name, devices[device]!.firstPort + port] as const),
    ),
  );
  const ways = new Map<string, Ways>();
  flows.forEach(({ source, priority }, flow) => {
    const key = `${source} ${priority}`;
    const own = ways.get(key) ?? { path: new Set(), receivers: new Set() };
    ways.set(key, own);
    for (const name of portsOfFlow(fabric, flow)) own.path.add(numberOf.get(name)!);
    for (const { device } of flowEnds[flow]!.receives)
      own.receivers.add(devices[device]!.firstPort);
  });
  return ways;
}
