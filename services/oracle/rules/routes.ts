/**
 * Every hop is on a shortest path. Distances are counted anew over the links that have a carrier: a
 * link whose state changed so recently that switches may not know it counts both ways.
 */

import type { Device, Model, Observer, Port, Queued } from '../model/model.js';
import { hopsFrom, kept } from '../model/port.js';

/** Pairs of candidate views of more changing links are not tried. */
const CHANGING_MOST = 6;

export class Routes implements Observer {
  /** By the links that are left out, and by target: hops from each device. */
  private readonly distances = new Map<string, ReadonlyMap<Device, number>>();
  /** By switch, flow hash and target: the port that the flow takes. */
  private readonly choices = new Map<string, Port>();
  /** Sets of links that may be down at once. */
  private readonly views: readonly (readonly string[])[];
  private readonly hasFailures: boolean;

  constructor(private readonly model: Model) {
    this.hasFailures = model.ports.some((port) => port.hasFault('down'));
    const failing = model.ports.filter((port) => port.hasFault('down') && isNearEnd(port));
    const some = [...new Set(failing.map(linkOf))].slice(0, CHANGING_MOST);
    this.views = Array.from({ length: 1 << some.length }, (_, set) =>
      some.filter((_link, i) => (set & (1 << i)) !== 0),
    );
  }

  joined(out: Port, { frame, storage, isMoved }: Queued, atPs: number): void {
    const { device } = out;
    const { isBridge, ownMemory, settings } = device.configuration;
    const { verdict, devices } = this.model;
    if (device.isHost || (storage.ingress === out && frame.kind === 'notice')) return;
    const isFlooded = isBridge || ownMemory === 'slots';
    const isCopied = frame.isGroup ? 'multicast trees' : null;
    if (!verdict.knows('routes', isFlooded ? 'bridges learn and flood' : isCopied)) return;
    verdict.judge('routes');
    const place = out.at(atPs, frame.priority);
    if (!this.isShortest(out, frame.target)) {
      const name = devices[frame.target]?.name ?? `station ${frame.target}`;
      const why = this.hasFailures ? ', whichever links are down' : '';
      verdict.broken('routes', place, `${out.name} is on no shortest path to ${name}${why}`);
    }
    if (isMoved || this.hasFailures || settings.switch.ecmp.name !== 'flow') return;
    const key = `${device.index} ${frame.hash} ${frame.target}`;
    const before = this.choices.get(key) ?? out;
    this.choices.set(key, out);
    if (before === out) return;
    const what = `one flow leaves by ${before.name} and by ${out.name}`;
    verdict.broken('routes', place, `${what}, so its frames may be reordered`);
  }

  private isShortest(out: Port, target: number): boolean {
    return this.views.some((view) => {
      const from = this.distancesTo(target, view);
      const here = from.get(out.device) ?? 0;
      const isNearer = here > 0 && from.get(out.peer.device) === here - 1;
      return isNearer && !view.includes(linkOf(out));
    });
  }

  private distancesTo(target: number, view: readonly string[]): ReadonlyMap<Device, number> {
    return kept(this.distances, `${target} ${view.join(' ')}`, () =>
      hopsFrom(this.model.devices[target]!, (port) => view.includes(linkOf(port))),
    );
  }
}

const linkOf = (port: Port): string => (isNearEnd(port) ? port.name : port.peer.name);

const isNearEnd = ({ name, peer }: Port): boolean => name < peer.name;
