import type { Figure, FlowView } from '../../report/page/page-flow-data.js';

export interface FlowOrder {
  /** A column below, or a figure of flows. */
  readonly by: string;
  readonly descending: boolean;
}

export type FlowFilter = 'all' | 'not done' | 'blocked' | 'victims' | 'traced';

const VALUES: Readonly<Record<string, (flow: FlowView) => number | string | null>> = {
  name: ({ name }) => name,
  priority: ({ priority }) => priority,
  start: ({ startPs }) => startPs,
  completion: ({ completionPs }) => completionPs ?? Infinity,
  slowdown: ({ slowdown }) => slowdown,
  done: (flow) => doneShare(flow),
};

const FILTERS: Readonly<Record<FlowFilter, (flow: FlowView) => boolean>> = {
  all: () => true,
  'not done': ({ offeredOctets, completionPs }) => offeredOctets !== null && completionPs === null,
  blocked: ({ figures }) => (figures['blocked'] ?? 0) > 0,
  victims: ({ victimOf }) => victimOf.length > 0,
  traced: ({ frames }) => frames.length > 0,
};

/** The order that an address has, as `slowdown`, or `-slowdown` for the largest first. */
export function orderOf(sort: string | null, figures: readonly Figure[]): FlowOrder | null {
  const by = (sort ?? '').replace(/^-/, '');
  const isKnown = by in VALUES || figures.some((figure) => figure.by === by);
  return isKnown ? { by, descending: sort!.startsWith('-') } : null;
}

/** Of its volume; null for a stream. */
export function doneShare({ offeredOctets, payloadOctets, completionPs }: FlowView): number | null {
  if (offeredOctets === null) return null;
  return completionPs === null ? Math.min(1, payloadOctets / offeredOctets) : 1;
}

export function passes(flow: FlowView, filter: FlowFilter, words: string): boolean {
  return FILTERS[filter](flow) && textOf(flow).includes(words.trim().toLowerCase());
}

function textOf({ name, source, destination }: FlowView): string {
  return `${name} ${source} ${destination}`.toLowerCase();
}

/** Filters that some of the flows pass, and not all. */
export function usefulFilters(flows: readonly FlowView[]): FlowFilter[] {
  const names = Object.keys(FILTERS) as FlowFilter[];
  return names.filter((name) => {
    const count = flows.filter(FILTERS[name]).length;
    return name === 'all' || (count > 0 && count < flows.length);
  });
}

/** What has no value comes last. */
export function inOrder(flows: readonly FlowView[], order: FlowOrder | null): readonly FlowView[] {
  if (order === null) return flows;
  const value = VALUES[order.by] ?? (({ figures }: FlowView) => figures[order.by]);
  const sign = order.descending ? -1 : 1;
  return [...flows].sort((a, b) => {
    const [x = null, y = null] = [value(a), value(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return sign * (x < y ? -1 : Number(x > y));
  });
}
