import { UNTAGGED } from '../wire/code-points.js';
import { CLASS, DEI_FLAG, dscpOf, LENGTH, PRIORITY_MASK, VLAN } from '../frame/frame-pool.js';
import type { FrameRef, PortRow } from '../units/indices.js';
import { assert } from '../kernel/assert.js';
import type { Device } from './device.js';
import type { Shared } from './shared.js';

const DSCPS = 64;
/** A priority, and behind it drop_eligible: the least bits of the class of a frame. */
const CLASSIFIED = PRIORITY_MASK | DEI_FLAG;

/** Ports at which frames get other priorities when they come in (802.1Q 6.9). */
interface Entering {
  /** By port: 1 where that is so. */
  readonly changes: Uint8Array;
  /** A frame that has come in is classified. */
  classify(port: PortRow, frame: FrameRef): void;
}

export function makeEntering(
  { ports, pool, counters }: Shared,
  devices: readonly Device[],
): Entering {
  const changes = new Uint8Array(ports.count);
  const tables: (Uint8Array | undefined)[] = [];
  const tablesOfDscp: (Uint8Array | undefined)[] = [];
  /** By port: 1 at a host, which consumes what it receives, and counts no copy of it. */
  const consumes = new Uint8Array(ports.count);
  for (const { firstPort, spec } of devices) {
    spec.ports.forEach(({ received, classOfDscp }, p) => {
      if (received === undefined && classOfDscp === undefined) return;
      changes[firstPort + p] = 1;
      consumes[firstPort + p] = spec.kind === 'host' ? 1 : 0;
      if (received !== undefined) {
        assert(received.length === 2 * UNTAGGED, 'entering.priorities-of-a-port');
        tables[firstPort + p] = Uint8Array.from(received);
      }
      if (classOfDscp !== undefined) {
        assert(classOfDscp.length === DSCPS, 'entering.classes-of-dscps');
        tablesOfDscp[firstPort + p] = Uint8Array.from(classOfDscp);
      }
    });
  }

  function classify(port: PortRow, frame: FrameRef): void {
    const { words, ends } = pool;
    const came = words[frame + CLASS] & CLASSIFIED;
    const table = tables[port];
    const coded = table?.[ends[frame + VLAN] === 0 ? UNTAGGED | came : came] ?? came;
    const ofDscp = tablesOfDscp[port]?.[dscpOf(words[frame + CLASS])];
    const now = ofDscp === undefined ? coded : (coded & DEI_FLAG) | ofDscp;
    assert(now <= CLASSIFIED, 'entering.priority');
    if (now === came) return;
    words[frame + CLASS] = (words[frame + CLASS] & ~CLASSIFIED) | now;
    const [from, to] = [came & PRIORITY_MASK, now & PRIORITY_MASK];
    if (from === to || consumes[port] !== 0) return;
    counters.remapped(port, from, to, words[frame + LENGTH]);
  }

  return { changes, classify };
}
