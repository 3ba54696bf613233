import { type Axis, axisOf, namedAxis } from './grid.js';

/** A sweep that answers a common question. */
interface Experiment {
  readonly name: string;
  readonly question: string;
  /** Among the examples. */
  readonly scenario: string;
  readonly set: readonly string[];
  /** By axis and value, what belongs together under a name; they come before those of `vary`. */
  readonly cases?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** As `--vary` takes them; axes before the last two have one heat map for each value. */
  readonly vary: readonly string[];
}

export function axesOf({ cases = {}, vary }: Experiment): Axis[] {
  const named = Object.entries(cases).map(([path, settings]) => namedAxis(path, settings));
  return [...named, ...vary.map((text) => axisOf(text)!)];
}

/** In place of the job of the scenario, on its priority and by its transport. */
function flows(pattern: object, bytes: string): string[] {
  const transport = { reliable: { mtu: 4096, ackEvery: 8, ackPriority: 6 } };
  return [`load=${JSON.stringify([{ name: 'work', ...pattern, bytes, priority: 3, transport }])}`];
}

function job(written: object): string[] {
  return ['load.0.name=work', `load.0.job=${JSON.stringify(written)}`];
}

function fault(written: object): string[] {
  return [`faults=${JSON.stringify([written])}`];
}

const COMPUTING = { compute: '20us' };
/** One of the four uplinks of a leaf. */
const UPLINK = { device: 'leaf1', peer: 'spine1' };

export const EXPERIMENTS: readonly Experiment[] = [
  {
    name: 'credit-loss-sweep',
    question:
      'What do lost grants cost, where idle credit is given back after a time and links are long?',
    scenario: 'credit-loss-sweep.yaml',
    set: [
      'credit.grant=demand',
      'load.0.rate=line',
      'load.0.arrivals=on-off',
      'load.0.on=100us',
      'load.0.off=40us',
    ],
    vary: [
      'fabric.link.length=10m,300m,2km',
      'credit.age=off,10us,30us',
      'faults.0.probability=0.1%,1%,3%,10%',
    ],
  },
  {
    name: 'storm',
    question: 'How soon must a watchdog step in, and how long must a broken NIC last, to matter?',
    scenario: 'storm-watchdog.yaml',
    set: ['expect=[]'],
    vary: [
      'priorities.3.watchdog.action=forward,drop',
      'priorities.3.watchdog.detection=1s,100us,50us,20us',
      'faults.0.for=50us,100us,200us,300us',
    ],
  },
  {
    name: 'deadlock-ring',
    question: 'What does a watchdog make of a deadlock? (With 1 s it is as if there were none.)',
    scenario: 'ring-deadlock-watchdog.yaml',
    set: ['expect=[]', 'observe={}'],
    vary: [
      'priorities.3.watchdog.action=forward,drop',
      'priorities.3.watchdog.detection=1s,200us,100us,50us',
      'priorities.3.watchdog.restoration=20us,50us,100us',
    ],
  },
  {
    name: 'flap',
    question: 'What does a flapping link cost, by how long and how often it is down?',
    scenario: 'flap.yaml',
    // More than a run can carry, so that it is loaded before, in and after its faults.
    set: ['expect=[]', 'faults.0.recover=50us', 'load.0.bytes=20MB'],
    vary: [
      'priorities.3=pfc,credit',
      'faults.0.every=60us,100us,150us',
      'faults.0.for=5us,10us,20us,40us',
    ],
  },
  {
    name: 'reboot-leaf',
    question: 'What does a switch cost that forgets everything, by how long it is away?',
    scenario: 'reboot-leaf.yaml',
    set: ['expect=[]', 'load.0.bytes=20MB'],
    vary: ['priorities.3=pfc,credit', 'faults.0.for=20us,50us,100us,200us'],
  },
  {
    name: 'lossless-or-uet',
    question:
      'Lossless, or lossy with Ultra Ethernet? By what is sent, and what the fabric is like.',
    scenario: 'lossless-or-uet.yaml',
    set: ['expect=[]', 'fabric.leaves=4', 'fabric.spines=4', 'duration=20ms'],
    cases: {
      work: {
        permutation: flows({ permutation: { shift: 5 } }, '2MiB'),
        incast: flows({ incast: { from: 'h5..h12', to: 'h1' } }, '512KiB'),
        'all-to-all': job({ steps: [{ 'all-to-all': '1MiB', algorithm: 'direct' }] }),
        'ring all-reduce': job({ steps: [{ 'all-reduce': '2MiB', algorithm: 'ring' }] }),
        'tree all-reduce': job({ steps: [{ 'all-reduce': '2MiB', algorithm: 'tree' }] }),
        // Tokens to their experts, and back.
        'MoE step': job({
          steps: [
            COMPUTING,
            { 'all-to-all': '512KiB', algorithm: 'direct' },
            COMPUTING,
            { 'all-to-all': '512KiB', algorithm: 'direct' },
          ],
        }),
      },
      fabric: {
        '1:1': [],
        '2:1': ['fabric.spines=2'],
        '4:1': ['fabric.spines=1'],
        'failed link': fault({ kind: 'link-down', where: UPLINK, at: '30us', for: '1s' }),
        'degraded link': fault({
          ...{ kind: 'slow-link', where: UPLINK, rate: '25G' },
          ...{ at: '0us', for: '1s' },
        }),
        'bit errors': ['fabric.link.postFecBer=1.0e-8'],
      },
    },
    vary: ['mechanism=pfc,pfc+ar,cbfc,credit,irn,uet,uet:rccc'],
  },
  {
    name: 'link-retry',
    question: 'What do bit errors cost under PFC and CBFC, with retry by the link or without?',
    scenario: 'link-retry.yaml',
    // Links are initialised by then: what was sent before goes without retry.
    set: ['expect=[]', 'duration=1ms', 'load.0.start=50us'],
    vary: [
      'mechanism=pfc+llr,cbfc+llr,pfc,cbfc,none',
      'fabric.link.length=2m,100m,2km',
      'fabric.link.postFecBer=1.0e-12,1.0e-9,1.0e-8,1.0e-7,1.0e-6',
    ],
  },
];
