/**
 * The yardstick: a fat-tree reduced to its data path, in one closure over typed arrays. Hosts send
 * 1,500-octet frames at 90 % of line rate to a fixed partner; switches have eight priorities in
 * round robin, count octets per ingress and pause their link partner by a flag. No transports, no
 * mechanisms, no real octets, nothing to configure: about what this machine can do at most, so that
 * the engine's speed can be told as a share of it, whatever the machine.
 */

const OCTET_PS = 80;
const LINK_PS = 1_000_000;
const WIRE_OCTETS = 1524;
const FRAME_PS = WIRE_OCTETS * OCTET_PS;
const GAP_PS = Math.round(FRAME_PS / 0.9);
const STOP_OCTETS = 64 * WIRE_OCTETS;
const GO_OCTETS = 48 * WIRE_OCTETS;
const PRIORITY = 3;
const QUEUE = 64;
const NEVER = Infinity;

export interface BareResult {
  readonly hops: number;
  readonly cpuSeconds: number;
}

/** Runs a fat-tree of `k` for some virtual time; the first fifth is not counted. */
export function runBareFabric(k: number, virtualUs: number, cpu: () => number): BareResult {
  const half = k / 2;
  const hosts = k * half * half;
  const edges = hosts;
  const aggregations = edges + k * half;
  const cores = aggregations + k * half;
  const nodes = cores + half * half;
  const ports = nodes * k;

  const peer = new Int32Array(ports);
  const join = (a: number, p: number, b: number, q: number): void => {
    peer[a * k + p] = b * k + q;
    peer[b * k + q] = a * k + p;
  };
  for (let pod = 0; pod < k; pod++) {
    for (let i = 0; i < half; i++) {
      const edge = edges + pod * half + i;
      const aggregation = aggregations + pod * half + i;
      for (let j = 0; j < half; j++) {
        join((pod * half + i) * half + j, 0, edge, j);
        join(edge, half + j, aggregations + pod * half + j, i);
        join(aggregation, half + j, cores + i * half + j, pod);
      }
    }
  }

  const frames = 1 << 20;
  const target = new Int32Array(frames);
  const hash = new Int32Array(frames);
  const next = new Int32Array(frames);
  const cameBy = new Int32Array(frames);
  let free = -1;
  let fresh = 0;

  const head = new Int32Array(ports * 8).fill(-1);
  const tail = new Int32Array(ports * 8);
  const ready = new Uint8Array(ports);
  const blocked = new Uint8Array(ports);
  const served = new Uint8Array(ports);
  const busy = new Uint8Array(ports);
  const stopped = new Uint8Array(ports);
  const ingress = new Int32Array(ports * 8);
  const sent = new Float64Array(ports * 2);
  const received = new Float64Array(ports);
  const memory = new Int32Array(nodes);
  const digest = new Int32Array(nodes);

  // A queue is a ring of arrivals; a device runs the least of queues, transmitters, flags, source.
  const queueTime = new Float64Array(ports * QUEUE);
  const queueFrame = new Int32Array(ports * QUEUE);
  const queueHead = new Int32Array(ports);
  const queueCount = new Int32Array(ports);
  const flagTime = new Float64Array(ports * QUEUE);
  const flagHead = new Int32Array(ports);
  const flagCount = new Int32Array(ports);
  const slots = 3 * k + 1;
  const due = new Float64Array(nodes * slots).fill(NEVER);
  const least = new Float64Array(nodes).fill(NEVER);
  let hops = 0;

  const wake = (node: number, slot: number, time: number): void => {
    due[node * slots + slot] = time;
    if (time < least[node]!) least[node] = time;
  };

  const pushArrival = (port: number, time: number, frame: number): void => {
    const count = queueCount[port]!;
    if (count === QUEUE) throw new Error('a queue of the yardstick is full');
    const at = port * QUEUE + ((queueHead[port]! + count) & (QUEUE - 1));
    queueTime[at] = time;
    queueFrame[at] = frame;
    queueCount[port] = count + 1;
    if (count === 0) wake(Math.floor(port / k), port % k, time);
  };

  const pushFlag = (port: number, time: number): void => {
    const count = flagCount[port]!;
    flagTime[port * QUEUE + ((flagHead[port]! + count) & (QUEUE - 1))] = time;
    flagCount[port] = count + 1;
    if (count === 0) wake(Math.floor(port / k), 2 * k + (port % k), time);
  };

  const tell = (port: number, stop: boolean, time: number): void => {
    stopped[port] = stop ? stopped[port]! | (1 << PRIORITY) : stopped[port]! & ~(1 << PRIORITY);
    pushFlag(peer[port]!, time + 84 * OCTET_PS + LINK_PS);
  };

  const send = (node: number, port: number, time: number): void => {
    const may = ready[port]! & ~blocked[port]!;
    if (may === 0) {
      busy[port] = 0;
      return;
    }
    let priority = served[port]!;
    do priority = (priority + 1) & 7;
    while ((may & (1 << priority)) === 0);
    served[port] = priority;
    const queue = port * 8 + priority;
    const frame = head[queue]!;
    head[queue] = next[frame]!;
    if (head[queue] < 0) ready[port] = ready[port]! & ~(1 << priority);
    busy[port] = 1;
    hops++;
    sent[2 * port]!++;
    sent[2 * port + 1]! += WIRE_OCTETS;
    memory[node]! -= WIRE_OCTETS;
    if (node >= hosts) {
      const from = cameBy[frame]!;
      const left = ingress[from * 8 + priority]! - WIRE_OCTETS;
      ingress[from * 8 + priority] = left;
      if (left < GO_OCTETS && (stopped[from]! & (1 << priority)) !== 0) tell(from, false, time);
    }
    wake(node, k + (port - node * k), time + FRAME_PS);
    pushArrival(peer[port]!, time + FRAME_PS + LINK_PS, frame);
  };

  const enqueue = (node: number, port: number, frame: number, time: number): void => {
    const queue = port * 8 + PRIORITY;
    next[frame] = -1;
    if (head[queue]! < 0) head[queue] = frame;
    else next[tail[queue]!] = frame;
    tail[queue] = frame;
    ready[port] = ready[port]! | (1 << PRIORITY);
    memory[node]! += WIRE_OCTETS;
    if (busy[port] === 0) send(node, port, time);
  };

  const route = (node: number, to: number, choice: number): number => {
    if (node >= cores) return Math.floor(to / (half * half));
    if (node >= aggregations) {
      const pod = Math.floor((node - aggregations) / half);
      const inside = pod === Math.floor(to / (half * half));
      return inside ? Math.floor(to / half) % half : half + ((choice >>> 3) % half);
    }
    return Math.floor(to / half) === node - edges ? to % half : half + (choice % half);
  };

  const arrive = (node: number, port: number, frame: number, time: number): void => {
    received[port]!++;
    if (node < hosts) {
      next[frame] = free;
      free = frame;
      return;
    }
    cameBy[frame] = port;
    const account = port * 8 + PRIORITY;
    const octets = ingress[account]! + WIRE_OCTETS;
    ingress[account] = octets;
    if (octets > STOP_OCTETS && (stopped[port]! & (1 << PRIORITY)) === 0) tell(port, true, time);
    enqueue(node, node * k + route(node, target[frame]!, hash[frame]!), frame, time);
  };

  const generate = (node: number, time: number): void => {
    let frame = free;
    if (frame >= 0) free = next[frame]!;
    else frame = fresh++;
    target[frame] = (node + hosts / 2 + 1) % hosts;
    hash[frame] = Math.imul(node, 0x9e3779b1) >>> 1;
    enqueue(node, node * k, frame, time);
    wake(node, 3 * k, time + GAP_PS);
  };

  const execute = (node: number, slot: number, time: number): void => {
    const high = Math.floor(time / 4294967296);
    const mixed = Math.imul(digest[node]! ^ (time | 0) ^ high, 0x85ebca6b);
    digest[node] = Math.imul((mixed << 13) | (mixed >>> 19), 0xc2b2ae35) ^ slot;
    const base = node * k;
    if (slot < k) {
      const port = base + slot;
      const at = port * QUEUE + queueHead[port]!;
      queueHead[port] = (queueHead[port]! + 1) & (QUEUE - 1);
      const left = --queueCount[port]!;
      due[node * slots + slot] = left > 0 ? queueTime[port * QUEUE + queueHead[port]]! : NEVER;
      arrive(node, port, queueFrame[at]!, time);
    } else if (slot < 2 * k) {
      due[node * slots + slot] = NEVER;
      send(node, base + slot - k, time);
    } else if (slot === 3 * k) generate(node, time);
    else {
      const port = base + slot - 2 * k;
      flagHead[port] = (flagHead[port]! + 1) & (QUEUE - 1);
      const left = --flagCount[port]!;
      due[node * slots + slot] = left > 0 ? flagTime[port * QUEUE + flagHead[port]]! : NEVER;
      blocked[port] = blocked[port]! ^ (1 << PRIORITY);
      if (busy[port] === 0) send(node, port, time);
    }
  };

  const runNode = (node: number, bound: number): void => {
    const base = node * slots;
    for (;;) {
      let time = NEVER;
      let slot = 0;
      for (let s = 0; s < slots; s++) {
        if (due[base + s]! < time) {
          time = due[base + s]!;
          slot = s;
        }
      }
      if (time >= bound) {
        least[node] = time;
        return;
      }
      execute(node, slot, time);
    }
  };

  const run = (until: number): void => {
    for (;;) {
      let time = NEVER;
      for (let node = 0; node < nodes; node++) if (least[node]! < time) time = least[node]!;
      if (time >= until) return;
      const bound = Math.min(time + LINK_PS, until);
      for (let node = 0; node < nodes; node++) if (least[node]! < bound) runNode(node, bound);
    }
  };

  for (let host = 0; host < hosts; host++) wake(host, 3 * k, host * 1000);
  run(virtualUs * 200_000);
  const before = hops;
  const start = cpu();
  run(virtualUs * 1_000_000);
  return { hops: hops - before, cpuSeconds: cpu() - start };
}
