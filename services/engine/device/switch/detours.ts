import type { PortUse } from '../../failover/failover-mechanism.js';

/** Sets of equal-cost next hops, one behind the other, as `Router` reads them. */
interface NextHops {
  /** By host; negative: none. */
  readonly setOfHost: Int16Array | Int32Array;
  readonly setStart: Int32Array;
  readonly setSize: Int32Array;
  readonly setPorts: Uint16Array;
}

interface PortSets {
  readonly setOfHost: Int16Array | Int32Array;
  readonly sets: readonly (readonly number[] | Uint8Array | Int16Array)[];
}

/** A choice among more than this would not fit 32 bits: see `chooseEqual`. */
const CHOICES_MOST = 255;

export function nextHopsOf({ setOfHost, sets }: PortSets): NextHops {
  const setSize = Int32Array.from(sets, (set) => set.length);
  const setStart = new Int32Array(sets.length);
  let total = 0;
  setSize.forEach((size, i) => {
    setStart[i] = total;
    total += size;
  });
  const setPorts = Uint16Array.from(sets.flatMap((set) => [...set]));
  return { setOfHost, setStart, setSize, setPorts };
}

/**
 * Next hops by new routes, without ports that are down. Flows whose port is still in its group keep
 * it (resilient hashing), and the others are spread over the rest. Sprayed frames take the rest in
 * turn.
 */
export function detoursOf(
  before: PortSets,
  routes: PortSets,
  uses: readonly PortUse[],
  spray: boolean,
): NextHops {
  const sets: (readonly number[])[] = [];
  const numbers = new Map<number, number>();
  const setOfHost = Int32Array.from(routes.setOfHost, (set, host) => {
    if (set < 0) return -1;
    const old = before.setOfHost[host];
    const key = set * (before.sets.length + 1) + old + 1;
    let number = numbers.get(key);
    if (number === undefined) {
      const was = old < 0 ? [] : [...before.sets[old]];
      const ports = detour(was, [...routes.sets[set]], uses, spray);
      number = ports.length === 0 ? -1 : sets.push(ports) - 1;
      numbers.set(key, number);
    }
    return number;
  });
  return nextHopsOf({ setOfHost, sets });
}

function detour(
  was: readonly number[],
  ports: readonly number[],
  uses: readonly PortUse[],
  spray: boolean,
): readonly number[] {
  const alive = ports.filter((port) => uses[port] === 'any');
  if (alive.length === 0) return ports.filter((port) => uses[port] === 'wait');
  const isPart = alive.length < was.length && alive.every((port) => was.includes(port));
  if (spray || !isPart) return alive;
  const shares = Math.min(alive.length, Math.floor(CHOICES_MOST / was.length));
  return was.flatMap((port, i) =>
    Array.from({ length: shares }, (_, j) =>
      alive.includes(port) ? port : alive[(i * shares + j) % alive.length],
    ),
  );
}
