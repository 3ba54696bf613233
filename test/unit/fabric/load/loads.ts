import type { LoadCommon, LoadSection } from '../../../../services/fabric/scenario/scenario.js';
import { expandLoad } from '../../../../services/fabric/load/expand-load.js';
import type { Flow } from '../../../../services/fabric/load/flow.js';
import type { LoadContext } from '../../../../services/fabric/load/load-entry.js';
import { build, fail } from '../topology/fabrics.js';

const COMMON: LoadCommon = {
  name: '',
  priority: 3,
  dscp: null,
  ect: false,
  congestion: 'none',
  vlan: { inner: null, outer: null, dei: false },
  vm: 0,
  toVm: 0,
  spoof: null,
  transport: { kind: 'raw', frameBytes: 1500 },
  startPs: 0,
  endPs: null,
};

export const RELIABLE = {
  kind: 'reliable',
  name: 'reliable',
  settings: { mtu: 1000, window: 'auto', ackEvery: 1, timeout: 1e9 },
  mtuBytes: 1000,
  windowPackets: null,
  rateBps: null,
  ackEvery: 1,
  ackPriority: null,
  timeoutPs: 1e9,
  maxTimeoutPs: 1.6e10,
  fewPackets: 0,
  overheadBytes: 62,
  spreads: false,
  fewTimeoutPs: 1e9,
} as const;

/** What makes a kind of load, with everything that all loads have as one likes. */
type OwnPart = LoadSection extends infer Section
  ? Section extends LoadSection
    ? Omit<Section, keyof LoadCommon> & Partial<LoadCommon>
    : never
  : never;

export function load(part: OwnPart): LoadSection {
  return { ...COMMON, ...part };
}

type Part<Kind extends LoadSection['kind']> = Partial<Extract<LoadSection, { kind: Kind }>>;

export function stream(part: Part<'stream'>): LoadSection {
  return load({
    kind: 'stream',
    from: ['h1'],
    to: ['h2'],
    group: false,
    arrivals: 'constant',
    rate: { kind: 'line' },
    onPs: 0,
    offPs: 0,
    randomOnOff: false,
    bytes: null,
    ...part,
  });
}

export function allReduce(part: Part<'all-reduce'>): LoadSection {
  return load({
    kind: 'all-reduce',
    algorithm: 'ring',
    hosts: ['all'],
    bytes: 8000,
    chunks: 1,
    transport: RELIABLE,
    ...part,
  });
}

export function random(part: Part<'random'>): LoadSection {
  return load({
    kind: 'random',
    hosts: ['all'],
    sizes: { kind: 'fixed', bytes: 10_000 },
    share: 0.5,
    ...part,
  });
}

/** Expands loads on a star of eight hosts (100 Gb/s) unless the context says otherwise. */
export function expand(
  sections: readonly LoadSection[],
  context: Partial<LoadContext> = {},
): Flow[] {
  const { flows } = expandLoad(sections, {
    tags: [],
    topology: build({ kind: 'star', hosts: 8 }),
    groups: [],
    plugins: [],
    seed: 1,
    durationPs: null,
    fail,
    readFile: () => {
      throw new Error('no such file');
    },
    readOctets: () => {
      throw new Error('no such file');
    },
    ...context,
  });
  return [...flows];
}

export function names(flows: readonly Flow[]): string {
  return flows.map((flow) => flow.name).join(' ');
}
