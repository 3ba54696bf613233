import { useEffect, useState } from 'preact/hooks';

/** The view as the hash of the page's address stores it, so that a link opens the same view. */
export interface Address {
  readonly port: string | null;
  readonly device: string | null;
  readonly flow: string | null;
  /** Place of an episode. */
  readonly episode: number | null;
  /** The chosen time in ps; null: the whole run, or now. */
  readonly at: number | null;
  /** Time that charts are zoomed to, in ps; null: all of it. */
  readonly from: number | null;
  readonly to: number | null;
  /** Place of a run of a sweep. */
  readonly run: number | null;
  /** Place of a frame of the flow. */
  readonly frame: number | null;
  /** Of the table of flows: its order, its filter, and words that names have. */
  readonly sort: string | null;
  readonly filter: string | null;
  readonly find: string | null;
  /** By run: place of the congestion tree that is shown. */
  readonly tree: readonly number[] | null;
  /** Places of the pods that are unfolded; null: every device is shown. */
  readonly pods: readonly number[] | null;
}

const TEXTS = ['port', 'device', 'flow', 'sort', 'filter', 'find'] as const;
const NUMBERS = ['episode', 'at', 'from', 'to', 'run', 'frame'] as const;
const LISTS = ['tree', 'pods'] as const;
/** Another one of these is a step that "back" undoes. */
const STEPS = [...TEXTS, 'episode', 'run'] as const;
/** Browsers refuse to change an address hundreds of times in a second. */
const WRITE_AFTER_MS = 150;

let current = parsed(location.hash);
const listeners = new Set<() => void>();
let writing: ReturnType<typeof setTimeout> | undefined;

addEventListener('hashchange', () => {
  current = parsed(location.hash);
  for (const listener of listeners) listener();
});

function parsed(hash: string): Address {
  const params = new URLSearchParams(hash.slice(1));
  const numbers = (text: string): number[] =>
    text === '' ? [] : text.split(',').map(Number).filter(Number.isFinite);
  const values = {
    ...Object.fromEntries(TEXTS.map((key) => [key, params.get(key)])),
    ...Object.fromEntries(NUMBERS.map((key) => [key, numbers(params.get(key) ?? '')[0] ?? null])),
    ...Object.fromEntries(
      LISTS.map((key) => [key, params.has(key) ? numbers(params.get(key)!) : null]),
    ),
  };
  return values as unknown as Address;
}

function written(address: Address): string {
  const params = new URLSearchParams();
  for (const key of [...TEXTS, ...NUMBERS, ...LISTS]) {
    const value = address[key];
    if (value !== null) params.set(key, String(value));
  }
  return `#${params.toString()}`;
}

/** Changes what is shown, and the address with it. */
export function goTo(change: Partial<Address>): void {
  current = { ...current, ...change };
  for (const listener of listeners) listener();
  clearTimeout(writing);
  if (STEPS.some((key) => key in change)) {
    history.pushState(null, '', written(current));
    return;
  }
  writing = setTimeout(() => {
    history.replaceState(null, '', written(current));
  }, WRITE_AFTER_MS);
}

export function useAddress(): Address {
  const [address, setAddress] = useState(current);
  useEffect(() => {
    const listener = (): void => {
      setAddress(current);
    };
    listener();
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
  return address;
}

/** A span of virtual time. */
export type TimeWindow = readonly [fromPs: number, toPs: number];

/** What charts over time are zoomed to; null: all of it. */
export function useTimeWindow(): TimeWindow | null {
  const { from, to } = useAddress();
  return from === null || to === null || to <= from ? null : [from, to];
}

/** Shows a span of time instead of the chosen moment; null: all of it. */
export function zoomTo(window: TimeWindow | null): void {
  const [from = null, to = null] = window?.map(Math.round) ?? [];
  goTo({ from, to, at: null });
}

/** Brings the view of something into sight. */
export function show(id: string): void {
  requestAnimationFrame(() => {
    document.getElementById(id)?.scrollIntoView({ behavior: 'smooth', block: 'start' });
  });
}

export function goToPort(port: string): void {
  goTo({ port });
  show('port');
}

export function goToFlow(flow: string): void {
  goTo({ flow, frame: null });
  show('flow');
}

export function goToEpisode(episode: number): void {
  goTo({ episode });
  show('episode');
}

export function goToDevice(device: string): void {
  goTo({ device });
  show('device');
}

export function goToSweepRun(run: number): void {
  goTo({ run });
  show('sweep-run');
}

/** By its place among the measures of a sweep. */
export function goToMeasure(place: number): void {
  show(measureId(place));
}

export function measureId(place: number): string {
  return `measure-${place}`;
}
