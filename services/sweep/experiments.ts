/** A sweep that answers a common question. */
interface Experiment {
  readonly name: string;
  readonly question: string;
  /** Among the examples. */
  readonly scenario: string;
  readonly set: readonly string[];
  /** As `--vary` takes them; axes before the last two have one heat map for each value. */
  readonly vary: readonly string[];
}

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
