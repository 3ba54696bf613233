import { TRANSPORTS } from '../../mechanisms/registry.js';
import type { Flow } from '../load/flow.js';
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
}

export function warningsOf(
  { load }: Scenario,
  flows: readonly Flow[],
  flowEnds: readonly { readonly isSpread: boolean }[],
): Warning[] {
  return load.flatMap((section, index) => {
    const { name } = section;
    const resent = flows.filter(
      (flow, i) => flow.load === index && needsOrder(flow.transport) && flowEnds[i]!.isSpread,
    );
    const waiting = flows.find(({ load: own, transport }) => own === index && isLate(transport));
    const isOwnSender = section.kind === 'incast' && isNamed(section.to, section.from);
    return [
      ...(isOwnSender ? [ownSender(name, index, section.to)] : []),
      ...(resent.length === 0 ? [] : [reordered(name, index, resent.length)]),
      ...(waiting === undefined ? [] : [acknowledgedLate(name, index, waiting.transport)]),
    ];
  });
}

/** A pattern such as `h*` leaves the receiver out on purpose; here it was named. */
function ownSender(load: string, index: number, host: string): Warning {
  const message =
    `${host} receives the incast ${load} and is named among its senders: it sends nothing, and ` +
    'there is one sender less; leave it out of from';
  return { path: ['load', index, 'incast', 'from'], message, load: null };
}

function needsOrder(transport: Flow['transport']): boolean {
  if (transport.kind === 'raw') return false;
  return TRANSPORTS.find(({ name }) => name === transport.name)?.order === 'ordered';
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
  return { path: ['load', index, 'transport', name, 'ackEvery'], message, load };
}

/**
 * A receiver that accepts frames only in order requests all behind one that was overtaken again.
 */
function reordered(load: string, index: number, flows: number): Warning {
  const those = flows === 1 ? 'a reliable flow' : `${flows} reliable flows`;
  const message =
    `ecmp spreads the frames of ${those} of load ${load} over several ports; go-back-N resends ` +
    'everything behind a frame that is overtaken; use ecmp: flow, or transport: selective';
  return { path: ['load', index], message, load };
}
