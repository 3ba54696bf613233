import { CLASS, CONNECTION, NEXT } from '../frame/frame-pool.js';
import { wordCell } from '../kernel/cells.js';
import type { Device } from './device.js';
import type { Shared } from './shared.js';

/** About as many frames of full length as pass a port in a window of usual length. */
const WARM_DEPTH = 8;
/** So many hosts, as a power of two, are fetched together. */
const HOSTS_SHIFT = 4;

/** From so many frames on, they do not fit the nearest cache. */
const COLD_FRAMES = 4096;

/** Reads the frames of a device's window before it is executed. */
export type Prefetch = (d: number, bound: number) => void;

export function makePrefetch(
  { inFlightQueues, pool, ports, queues }: Shared,
  devices: readonly Device[],
): Prefetch {
  const cursors = new Int32Array(
    Math.max(1 << HOSTS_SHIFT, ...devices.map((device) => 2 * device.spec.ports.length)),
  );
  /** By group of hosts: the end of the window that it was fetched for. */
  const fetchedUntil = new Float64Array((devices.length >> HOSTS_SHIFT) + 1);
  /** By device: 1 if a link layer of it copies whole frames, not what every hop reads alone. */
  const copies = Uint8Array.from(devices, ({ spec, firstPort }) =>
    spec.ports.some((_, p) => ports.hasLinkLayer(firstPort + p)) ? 1 : 0,
  );
  /** Keeps the compiler from leaving out reads whose only purpose is to have been made. */
  const fetched = wordCell();

  /**
   * Reads the frames of this window once, in-flight queue by in-flight queue and queue by queue.
   * Where frames outgrow the processor's cache, each would be waited for alone when its turn comes;
   * here the waits of different ports overlap. A host has one port only, so several hosts are
   * fetched together.
   */
  function prefetch(d: number, bound: number): void {
    if (pool.extent() <= COLD_FRAMES) return;
    const device = devices[d];
    if (device.spec.kind === 'switch') prefetchSwitch(d, device, bound);
    else if (fetchedUntil[d >> HOSTS_SHIFT] !== bound) {
      fetchedUntil[d >> HOSTS_SHIFT] = bound;
      prefetchHosts((d >> HOSTS_SHIFT) << HOSTS_SHIFT, bound);
    }
  }

  function prefetchHosts(from: number, bound: number): void {
    const { words, ends } = pool;
    const to = Math.min(from + (1 << HOSTS_SHIFT), devices.length);
    let count = 0;
    for (let d = from; d < to; d++) {
      if (devices[d].spec.kind === 'host')
        cursors[count++] = inFlightQueues.head(devices[d].firstPort);
    }
    let touched = 0;
    for (let depth = 0, left = 1; depth < WARM_DEPTH && left > 0; depth++) {
      left = 0;
      for (let p = 0; p < count; p++) {
        const frame = cursors[p];
        if (frame < 0) continue;
        left++;
        touched ^= words[frame + CLASS] ^ ends[frame + CONNECTION];
        cursors[p] = pool.arrival(frame) >= bound ? -1 : words[frame + NEXT];
      }
    }
    fetched[0] = touched;
  }

  function prefetchSwitch(d: number, device: Device, bound: number): void {
    const { words } = pool;
    const rest = copies[d] === 0 ? words : pool.ends;
    const first = device.firstPort;
    const count = device.spec.ports.length;
    let touched = 0;
    for (let p = 0; p < count; p++) {
      cursors[p] = inFlightQueues.head(first + p);
      cursors[count + p] = queues.firstReady(first + p);
    }
    for (let depth = 0, left = 1; depth < WARM_DEPTH && left > 0; depth++) {
      left = 0;
      for (let p = 0; p < 2 * count; p++) {
        const frame = cursors[p];
        if (frame < 0) continue;
        left++;
        touched ^= words[frame + CLASS] ^ rest[frame];
        cursors[p] = p < count && pool.arrival(frame) >= bound ? -1 : words[frame + NEXT];
      }
    }
    fetched[0] = touched;
  }

  return prefetch;
}
