import { spreads } from '../../mechanisms/balancing-slice.js';
import { MECHANISMS, TRANSPORTS } from '../../mechanisms/registry.js';
import type { TransportSlice } from '../../mechanisms/transport-slice.js';
import type { Settings } from './settings.js';
import type { Spread } from './spread.js';
import type { Flow } from '../load/flow.js';
import { reordersFrames } from '../scenario/equal-cost.js';
import type { Scenario } from '../scenario/scenario.js';
import { isNamed } from '../scenario/selector.js';
import type { Path } from '../topology/cabling.js';

/** A setting that can be run, but is probably a mistake. */
export interface Warning {
  /** Path of its cause in the scenario. */
  readonly path: Path;
  /** What is wrong, and the remedy. */
  readonly message: string;
  /** Name of the load that it concerns; null: all of them. */
  readonly load: string | null;
  /** A run is refused, unless it is forced: what is measured would tell nothing. */
  readonly isRefused: boolean;
}

export function warningsOf(
  { load }: Scenario,
  flows: readonly Flow[],
  flowEnds: readonly { readonly spread: Spread | null }[],
): Warning[] {
  return load.flatMap((section, index) => {
    const { name } = section;
    const spread = flows.flatMap((flow, i) => {
      const own = flow.load === index ? flowEnds[i]!.spread : null;
      return own === null ? [] : [{ flow, spread: own }];
    });
    const waiting = flows.find(({ load: own, transport }) => own === index && isLate(transport));
    const isOwnSender = section.kind === 'incast' && isNamed(section.to, section.from);
    return [
      ...(isOwnSender ? [ownSender(name, index, section.to)] : []),
      ...reordered(
        name,
        index,
        spread.filter(({ flow }) => orderOf(flow) === 'ordered'),
      ),
      ...narrow(
        name,
        index,
        spread.filter(({ flow }) => orderOf(flow) === 'window'),
      ),
      ...(waiting === undefined ? [] : [acknowledgedLate(name, index, waiting.transport)]),
    ];
  });
}

/** Mechanisms that need flows to keep to one path, on priorities whose frames switches spread. */
export function onManyPaths(ofDevices: readonly Settings[]): Warning[] {
  const settings = [...new Set(ofDevices)];
  const isSpread = (priority: number): boolean =>
    settings.some(
      ({ switch: { ecmp } }) => reordersFrames(ecmp.name) && spreads(ecmp.settings, priority),
    );
  const sections = settings.flatMap(({ priorities }) => priorities);
  return MECHANISMS.flatMap(({ name, onePath }) => {
    const section =
      onePath === undefined
        ? undefined
        : sections.find((own) => own.mechanisms[name] === true && isSpread(own.priority));
    if (section === undefined) return [];
    const message =
      `${name} on priority ${section.priority}, whose frames ecmp spreads: ${onePath}; ` +
      `use ecmp: flow, or leave ${name} out`;
    return [{ path: [...section.path, name], message, load: null, isRefused: true }];
  });
}

interface SpreadFlow {
  readonly flow: Flow;
  readonly spread: Spread;
}

/** A pattern such as `h*` leaves the receiver out on purpose; here it was named. */
function ownSender(load: string, index: number, host: string): Warning {
  const message =
    `${host} receives the incast ${load} and is named among its senders: it sends nothing, and ` +
    'there is one sender less; leave it out of from';
  return { path: ['load', index, 'incast', 'from'], message, load: null, isRefused: false };
}

/** Null: raw frames have none. */
function orderOf({ transport }: Flow): TransportSlice['order'] | null {
  if (transport.kind === 'raw') return null;
  return TRANSPORTS.find(({ name }) => name === transport.name)?.order ?? null;
}

/** Acknowledgements are for more packets than may be in flight: the first is sent by the timer. */
export function isLate(transport: Flow['transport']): boolean {
  return (
    transport.kind === 'reliable' && transport.ackEvery > (transport.windowPackets ?? Infinity)
  );
}

function acknowledgedLate(load: string, index: number, transport: Flow['transport']): Warning {
  const name = transport.kind === 'raw' ? 'raw' : transport.name;
  const message =
    `ackEvery is more than window, so a window of load ${load} is acknowledged only when a ` +
    'timeout has it sent again; ackEvery: at most window, or window: auto';
  const path = ['load', index, 'transport', name, 'ackEvery'];
  return { path, message, load, isRefused: false };
}

/**
 * A receiver that accepts frames only in order requests all behind one that was overtaken again. As
 * packets overtake each other all the time, a round trip brings about two of those that it sent.
 */
function reordered(load: string, index: number, those: readonly SpreadFlow[]): Warning[] {
  if (those.length === 0) return [];
  const isRefused = those.some(({ spread: { isByFrame } }) => isByFrame);
  const resent = Math.max(...those.map(({ flow, spread }) => windowOf(flow, spread) / 2));
  const expected = `up to about ${Math.max(1, Math.round(resent))} for each that arrives`;
  const named = those.length === 1 ? 'a reliable flow' : `${those.length} reliable flows`;
  const message =
    `ecmp spreads the frames of ${named} of load ${load} over several ports; go-back-N resends ` +
    `everything behind a frame that is overtaken${isRefused ? `, ${expected}` : ''}; ` +
    'use ecmp: flow, or transport: selective';
  return [{ path: ['load', index], message, load, isRefused }];
}

function windowOf({ transport }: Flow, { packets }: Spread): number {
  const { windowPackets } = transport as Extract<Flow['transport'], { kind: 'reliable' }>;
  return Math.min(packets, windowPackets ?? Infinity);
}

/** A bitmap, or a distance, that one path which is a round trip slower than another exceeds. */
function narrow(load: string, index: number, those: readonly SpreadFlow[]): Warning[] {
  const lack = ({ spread: { packets, accepted } }: SpreadFlow): number => packets - accepted;
  const [worst] = those.filter(({ spread }) => spread.isByFrame).sort((a, b) => lack(b) - lack(a));
  if (worst === undefined || lack(worst) <= 0) return [];
  const { packets, accepted } = worst.spread;
  const message =
    `a packet of load ${load} may come behind ${packets} later ones where paths differ by a ` +
    `round trip, and its transport accepts ${accepted} before it waits for it, or takes it for ` +
    `lost; let window (and reorder, if written) be ${packets} or more, or auto`;
  return [{ path: ['load', index, 'transport'], message, load, isRefused: false }];
}
