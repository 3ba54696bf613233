/**
 * Every hop is on a shortest path. Distances are counted anew over the links that have a carrier: a
 * link whose state changed so recently that switches may not know it counts both ways.
 */

import type { Configuration } from '../configuration.js';
import type { Observer } from '../model/observer.js';
import type { Device, Port, Queued } from '../model/port.js';
import type { Verdict } from '../verdict.js';

/** Pairs of candidate views of more changing links are not tried. */
const CHANGING_MOST = 6;

export class Routes implements Observer {
  /** By the links that are left out, and by target: hops from each device. */
  private readonly distances = new Map<string, Map<number, Int32Array>>();
  /** By switch, then by flow hash and target: the port that the flow takes. */
  private readonly choices: Map<string, Port>[];
  private readonly hasFailures: boolean;

  constructor(
    _configuration: Configuration,
    private readonly devices: readonly Device[],
    private readonly verdict: Verdict,
  ) {
    this.choices = devices.map(() => new Map<string, Port>());
    this.hasFailures = devices.some(({ ports }) =>
      ports.some((port) => port.configuration.faults.has('down')),
    );
  }

  joined(out: Port, { frame, storage, isMoved }: Queued, atPs: number): void {
    const { device } = out;
    const { isBridge, ownMemory } = device.configuration;
    if (device.isHost || (storage.ingress === out && frame.kind === 'notice')) return;
    if (isBridge || ownMemory === 'slots') {
      this.verdict.decline('routes', 'bridges learn and flood');
      return;
    }
    if (frame.isGroup) {
      this.verdict.decline('routes', 'multicast trees');
      return;
    }
    this.verdict.judge('routes');
    const place = { device: device.index, port: out.index, atPs, priority: frame.priority };
    if (!this.isShortest(out, frame.target)) {
      const name = this.devices[frame.target]?.name ?? `station ${frame.target}`;
      const why = this.hasFailures ? ', whichever links are down' : '';
      this.verdict.broken('routes', place, `${out.name} is on no shortest path to ${name}${why}`);
    }
    if (isMoved || this.hasFailures || device.configuration.settings.switch.ecmp !== 'flow') return;
    const key = `${frame.hash} ${frame.target}`;
    const before = this.choices[device.index]!.get(key) ?? out;
    this.choices[device.index]!.set(key, out);
    if (before === out) return;
    const what = `one flow leaves by ${before.name} and by ${out.name}`;
    this.verdict.broken('routes', place, `${what}, so its frames may be reordered`);
  }

  private isShortest(out: Port, target: number): boolean {
    const views = this.hasFailures ? this.viewsUnderFailure() : [''];
    return views.some((view) => {
      const from = this.distancesTo(target, view);
      const here = from[out.device.index]!;
      return here > 0 && from[out.peer.device.index] === here - 1 && !this.isOut(out, view);
    });
  }

  /** Any set of the links that may be down. */
  private viewsUnderFailure(): readonly string[] {
    const links = this.devices.flatMap(({ ports }) =>
      ports
        .filter((port) => port.configuration.faults.has('down') && isNearEnd(port))
        .map((port) => linkOf(port)),
    );
    const some = [...new Set(links)].slice(0, CHANGING_MOST);
    const views: string[] = [];
    for (let set = 0; set < 1 << some.length; set++) {
      views.push(some.filter((_, i) => (set & (1 << i)) !== 0).join(' '));
    }
    return views;
  }

  private isOut(port: Port, view: string): boolean {
    return view !== '' && view.split(' ').includes(linkOf(port));
  }

  private distancesTo(target: number, view: string): Int32Array {
    const ofView = this.distances.get(view) ?? new Map<number, Int32Array>();
    this.distances.set(view, ofView);
    const known = ofView.get(target);
    if (known !== undefined) return known;
    const hops = new Int32Array(this.devices.length).fill(-1);
    hops[target] = 0;
    let border = [this.devices[target]!];
    for (let distance = 1; border.length > 0; distance++) {
      const next: Device[] = [];
      for (const device of border) {
        if (device.isHost && device.index !== target) continue;
        for (const port of device.ports) {
          const { device: peer } = port.peer;
          if (hops[peer.index] !== -1 || this.isOut(port, view)) continue;
          hops[peer.index] = distance;
          next.push(peer);
        }
      }
      border = next;
    }
    ofView.set(target, hops);
    return hops;
  }
}

function linkOf(port: Port): string {
  return isNearEnd(port) ? port.name : port.peer.name;
}

function isNearEnd({ name, peer }: Port): boolean {
  return name < peer.name;
}
