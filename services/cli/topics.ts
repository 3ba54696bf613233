import { bitErrorsText } from './bit-errors-text.js';
import { EXIT_MEANINGS } from './exit.js';
import { CAUSE_WORDS, FLOW_CAUSES } from '../runtime/results/flow-cause.js';
import {
  BALANCINGS,
  MECHANISMS,
  NIC,
  RATE_CONTROLS,
  SLOTTED,
  TRANSPORTS,
} from '../mechanisms/registry.js';

/** Terms, by their names in `selvage explain`; keys describe themselves. */
export const TOPICS: Readonly<Record<string, string>> = {
  none: 'No flow control: a frame for which there is no buffer is dropped, with a reason.',
  ...Object.fromEntries(
    MECHANISMS.flatMap(({ name, topic }) => (topic === undefined ? [] : [[name, topic]])),
  ),
  ...SLOTTED?.topics,
  'bit-errors': bitErrorsText(),
  headroom:
    'Buffer for what still arrives after XOFF (802.1Q Annex N): the longest frame in the ' +
    'way of the control frame, the control frame, the link both ways, both interfaces, ' +
    'the pipeline, the response time of the link partner, the frame that it had begun, ' +
    'and a frame that finds the pool full. Computed unless given; the summary shows ' +
    'every term. `priorities: { 3: { headroom: 40KB } }`.',
  'dynamic-threshold':
    'A queue or ingress buffer may take alpha times what is free of the shared pool ' +
    '(Choudhury and Hahne), so thresholds sink as the pool fills. For a lossless ' +
    'priority it is the XOFF threshold, for a lossy one the limit. `priorities: { 3: { ' +
    'flowControl: pfc, alpha: 0.5 } }`.',
  'blocked-time':
    'How long a port may not send a priority: it is paused, or has no credit. Aggregate blocked ' +
    'time counts it once for each frame that waits there, so it is longer than the run where ' +
    'many frames wait; it ranks congestion trees. `selvage why RUN`.',
  captures:
    'What passes ports, as Wireshark reads it: `selvage run FILE --capture leaf1:p3 ' +
    '--capture leaf1--spine1 --capture-filter priority=3,type=data`, or ' +
    '`observe: { captures: { ports: [leaf1:p3] } }`. One file, capture.pcapng, with an ' +
    'interface for each port; see docs/observability.md.',
  tables:
    'Flows, ports, samples (`observe: { series: 10us }`), events (`events: true`) and episodes ' +
    '(`episodes: true`) are in the run directory as CSV and Parquet. `selvage query RUN ' +
    '"select name, slowdown from flows order by slowdown desc"` answers SQL over them.',
  ...Object.fromEntries(RATE_CONTROLS.map(({ kind, topic }) => [kind, topic])),
  ets:
    'Enhanced transmission selection: strict classes first, the others share what is left ' +
    'by percent, in bytes on the wire. `arbiter: { ets: { 0: 50%, 3: 50%, 7: strict } ' +
    '}`. A class that is not named goes when none of the others waits.',
  dwrr:
    'Deficit weighted round robin: classes share the link by weight, in bytes on the ' + 'wire.',
  strict: 'The highest traffic class that may send goes first.',
  'round-robin': 'A frame of each traffic class in turn.',
  lldp:
    'Link Layer Discovery Protocol (802.1AB): every port advertises itself to its link ' +
    'partner, at first quickly and then every 30 s; a neighbor ages out when its TTL ' +
    'ends. `discovery: true`; `selvage neighbors`.',
  dcbx:
    'Data Center Bridging eXchange (802.1Q clause 38), on top of LLDP: a willing port ' +
    'takes over PFC and ETS from its peer. IEEE (802.1Qaz), or CEE 1.01 towards a peer ' +
    'that supports nothing else. `discovery: true`; `selvage dcbx`.',
  willing:
    'A port that takes over the configuration of its peer (802.1Q 38.4). `discovery: { ' +
    'willing: [pfc] }`.',
  episode:
    'One span in which a queue is congested, or a port is paused or blocked on credit. ' +
    'Its parent is the episode that caused it. `selvage why RUN` shows the trees.',
  deadlock:
    'Cyclic buffer dependency: ingress buffers, each of which cannot empty before the ' +
    'next one does (a PFC deadlock). `observe: { episodes: true }` names it, with the ' +
    'picosecond at which it closed. A run at whose end one exists is `deadlocked`, ' +
    'whatever is observed.',
  stalled:
    'A run at whose end flows have stopped progressing: they have data to deliver, and nothing ' +
    'arrives for longer than round trips, pacing, queues, pause times and retransmission ' +
    'timeouts explain. Exit code 4, unless the scenario expects it: ' +
    '`expect: [{ metric: stalled-flows, min: 1 }]`, or deadlocks, or starved.',
  starved:
    'A flow whose class waits at a port that, as configured, serves others before it: a higher ' +
    'strict class, or any with a share where it has 0 %. A run in which flows are starved and no ' +
    'other stands still is `starved`. Exit code 5, unless the scenario expects it: ' +
    '`expect: [{ metric: starved-flows, min: 1 }]`.',
  cause:
    'Why a flow is not finished, in `flows.csv`, in the summary and in `selvage why RUN --flow`. ' +
    CAUSE_WORDS.map((word) => `${word}: ${FLOW_CAUSES[word].meaning}`).join(' '),
  watchdog:
    'PFC watchdog: a switch that transmits or drops the frames of a priority that was ' +
    'paused for too long. `priorities: { 3: { watchdog: { detection: 200us, restoration: ' +
    '200us, action: drop } } }`. What it drops is counted as `watchdog`.',
  storm: 'PFC storm: a priority of a port that is paused for longer than `observe.storm`.',
  ecmp:
    'Equal-cost multipath: a switch chooses one of several shortest routes, by a hash of ' +
    'the flow, or by a load balancing: `switches: { ecmp: flow }`, or one of ' +
    `${BALANCINGS.map(({ name }) => name).join(', ')}.`,
  fct:
    'Flow completion time: from the first byte offered to the last acknowledged ' +
    '(reliable) or received (raw). The summary has p50, p99 and p99.9; metrics are ' +
    'completion.p50, completion.p99, completion.p99.9 and completion.max.',
  bdp:
    'Bandwidth-delay product: rate times round-trip time, the bytes in flight at line ' +
    'rate. 100 Gb/s over 10 km (100 us both ways) have 1.25 MB. A buffer behind credit, ' +
    'and headroom behind XOFF, need about as much.',
  victim:
    'Victim flow: a flow that is blocked by a pause and does not pass the congestion ' +
    'root (head-of-line blocking). `selvage why RUN` counts them; `selvage run ' +
    'examples/victim-behind-pfc.yaml` has one.',
  xoff:
    'XOFF: the level of an ingress buffer at which a port pauses its link partner; XON: ' +
    'the level at which it lets it go on, xonGap below. `priorities: { 3: { flowControl: ' +
    'pfc, xoff: 64KB, xonGap: 8KB } }`.',
  faults:
    'What fails in the emulated fabric: link-down, loss, bit-errors, delay, slow-link, ' +
    'control (chosen control frames are lost, doubled, late or changed), freeze, storm, ' +
    'forge, steal-credit, stuck-credit, shrink-buffer, full-table, lldp-drift, mis-cabling, ' +
    'slow-receiver and host-pause (the application of a host reads slowly, or nothing), ' +
    'wrong-map (a NIC pauses the wrong class), reboot, set (an operator sets a link, a pool or a ' +
    'profile of a switch); `where`, `at`, `for`, `every`, ' +
    '`times`, `until`, `random`. Frames lost to a fault have a reason of their own. ' +
    '`faults: [{ kind: link-down, where: { device: leaf1 }, at: 1ms, for: 100us }]`.',
  failover:
    'What switches do when a link is down: after a detection time its port leaves the groups of ' +
    'equal-cost ports, and what waits there is moved to the others or dropped (port-down); after ' +
    'reconvergence all switches compute routes without it. What has no route is dropped ' +
    '(unreachable), and the summary names flows that cannot reach. ' +
    '`switches: { failover: 10us }`, `{ failover: { detection: 100us, reconvergence: 100us, ' +
    'queued: move } }`, or `off`.',
  'virtual-time':
    'Time of the emulated fabric, in picoseconds from 0. It does not depend on how fast a ' +
    'machine executes the run: a slow one takes longer, and prints the same times.',
  partition:
    'Devices that one thread or one service executes (`selvage run FILE --threads 4`). Each ' +
    'advances to the time before which nothing can arrive from its peers (lookahead: the ' +
    'delay of the links between them), so results are those of one thread.',
  checkpoint:
    'The state of all devices at one virtual time, from which a run resumes: `selvage resume ' +
    'RUN`. A run in services writes one every 2 s, and continues from it when a process or the ' +
    'broker is lost.',
  'not-emulated':
    'TCP and other transports than RoCEv2, UET and raw frames, InfiniBand, iWARP, routing ' +
    'protocols, spanning tree, tunnels (VXLAN) and virtual output queues are not emulated. ' +
    'docs/limitations.md lists what is, with which choices.',
  infrastructure:
    'What breaks the processes of a run, and never its result: kill or pause of a service (named ' +
    'by a device), the broker or the coordinator, `at` a virtual time or `after` one of the wall ' +
    'clock. It needs `--processes`. `infrastructure: [{ kind: kill, of: coordinator, at: 2ms }]`.',
  inject:
    'A fault that comes to a run while it goes on: `selvage inject --fault link-down --where ' +
    'leaf1 --for 10us`; `--list`, `--clear NAME`. `injected.yaml` in the run directory declares ' +
    'it, at the virtual time at which it came, and gives the same digest.',
  ...NIC?.topics,
  ideal: 'Flow completion time in an idle fabric: serialisation, propagation and delays.',
  slowdown: 'Flow completion time over ideal time; 1 is as good as it gets.',
  digest:
    'A hash over everything that every device executed. Two runs with one digest saw the ' +
    'same fabric, event for event, however they were run.',
  ...Object.fromEntries([...TRANSPORTS, ...BALANCINGS].map(({ name, topic }) => [name, topic])),
  raw: 'Frames without a transport: nothing is acknowledged or sent again.',
  'exit-codes': EXIT_MEANINGS.map(([code, meaning]) => `${code}: ${meaning}.`).join(' '),
  lossless:
    'A lossless priority discards no frame for want of buffer: PFC, 802.3x or credit stops the ' +
    'link partner in time. A frame of it that is lost fails the run with exit ' +
    'code 3. `priorities: { 3: pfc }`.',
  'priority-group':
    'Priority group (PG): priorities of an ingress port that share a buffer account, and with ' +
    'it XOFF and headroom. By default each priority has its own. `classes: { receive: [0, 1, 2, ' +
    '3, 4, 4, 6, 7] }` puts priorities 4 and 5 into one.',
  'traffic-class':
    'Traffic class (TC): one of up to eight egress queues of a port (802.1Q 8.6.6), which the ' +
    'arbiter chooses from. `classes: { transmit: [0, 0, 0, 1, 0, 0, 0, 0], ' +
    'arbiter: { dwrr: { 0: 1, 1: 4 } } }`.',
  pcp:
    'Priority code point: the three bits of an 802.1Q tag that name the priority of a frame, 0 ' +
    'to 7. A load names it (`load: [{ …, priority: 3 }]`), flow control belongs to it ' +
    '(`priorities`), and a DSCP is 8 times it unless the load says otherwise.',
  'drop-reasons':
    'Every discarded frame has a reason, in the summary and in events.csv: no buffer ' +
    '(ingress-threshold, egress-threshold, buffer-full), a fault (link-down, fcs-error, …), no ' +
    'route (unreachable), a PFC watchdog (watchdog). `expect: [{ metric: drops, max: 0 }]`.',
};

/** What else the field calls topics and keys, in lower case and with blanks for hyphens. */
export const ALIASES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [...MECHANISMS, ...RATE_CONTROLS, ...TRANSPORTS, ...BALANCINGS].flatMap((slice) => {
      const topic = 'name' in slice ? slice.name : slice.kind;
      return (slice.alsoCalled ?? []).map((name) => [name, topic]);
    }),
  ),
  '802.1ab': 'lldp',
  '802.1p': 'pcp',
  '802.1qaz': 'dcbx',
  '802.1qbb': 'pfc',
  '802.3bd': 'pfc',
  '802.3x': 'pause',
  alpha: 'dynamic-threshold',
  'bandwidth delay product': 'bdp',
  'bandwidth group': 'ets',
  'base rtt': 'bdp',
  ber: 'bit-errors',
  bfd: 'failover',
  bgp: 'failover',
  'bit error rate': 'bit-errors',
  buffer: 'switches.buffer',
  'buffer allocation': 'switches.buffer',
  'buffer carving': 'switches.buffer',
  'buffer management': 'switches.buffer',
  'buffer profile': 'switches.buffer',
  'buffer size': 'switches.buffer.size',
  burst: 'load[].incast',
  cbd: 'deadlock',
  'circular buffer dependency': 'deadlock',
  clos: 'fabric.generator',
  collective: 'load[].all-reduce',
  'congestion root': 'episode',
  'congestion spreading': 'victim',
  'congestion tree': 'episode',
  cos: 'pcp',
  'credit loss': 'credit',
  credits: 'credit',
  'cut through': 'switches.cutThrough',
  'cyclic buffer dependency': 'deadlock',
  determinism: 'digest',
  deterministic: 'digest',
  discard: 'drop-reasons',
  drop: 'drop-reasons',
  dscp: 'load[].dscp',
  dt: 'dynamic-threshold',
  'dynamic threshold': 'dynamic-threshold',
  elephant: 'load[].random',
  'elephant flow': 'load[].random',
  'exit code': 'exit-codes',
  'exit codes': 'exit-codes',
  'fat tree': 'fabric.generator',
  'fault injection': 'faults',
  flap: 'faults',
  'flow completion time': 'fct',
  'flow control': 'lossless',
  'flow size distribution': 'load[].random',
  'frame size': 'load[].frame',
  'global pause': 'pause',
  'go back n': 'reliable',
  'hash polarization': 'ecmp',
  hashing: 'ecmp',
  'head of line': 'victim',
  'head of line blocking': 'victim',
  hol: 'victim',
  'hol blocking': 'victim',
  infiniband: 'not-emulated',
  iwarp: 'not-emulated',
  jct: 'fct',
  jumbo: 'load[].frame',
  'jumbo frame': 'load[].frame',
  'jumbo frames': 'load[].frame',
  latency: 'latency.mean',
  leaf: 'fabric.generator',
  'leaf spine': 'fabric.generator',
  limitations: 'not-emulated',
  'link flap': 'faults',
  'link level flow control': 'pause',
  'link pause': 'pause',
  llfc: 'pause',
  'load balancing': 'ecmp',
  lookahead: 'partition',
  loss: 'drop-reasons',
  'mac control': 'pause',
  mice: 'load[].random',
  microburst: 'load[].incast',
  mouse: 'load[].random',
  mtu: 'load[].transport.reliable.mtu',
  'n to 1': 'load[].incast',
  nack: 'reliable',
  nak: 'reliable',
  nccl: 'load[].all-reduce',
  nvme: 'reliable',
  'nvme of': 'reliable',
  'packet buffer': 'switches.buffer',
  'packet loss': 'drop-reasons',
  'pause frame': 'pause',
  'pause quanta': 'priorities.*.quanta',
  'pause storm': 'storm',
  pcap: 'captures',
  pcapng: 'captures',
  percentile: 'fct',
  'pfc deadlock': 'deadlock',
  'pfc storm': 'storm',
  'pfc watchdog': 'watchdog',
  pg: 'priority-group',
  poisson: 'load[].random',
  'port mirroring': 'captures',
  priority: 'pcp',
  'priority group': 'priority-group',
  'priority groups': 'priority-group',
  'propagation delay': 'ideal',
  qos: 'traffic-class',
  quantum: 'priorities.*.quanta',
  rdma: 'reliable',
  reconvergence: 'failover',
  recovery: 'checkpoint',
  reproducibility: 'digest',
  retransmission: 'reliable',
  roce: 'reliable',
  rocev2: 'reliable',
  'root cause': 'episode',
  routing: 'failover',
  rto: 'reliable',
  rtt: 'bdp',
  sampling: 'observe.series',
  scheduler: 'classes.arbiter',
  scheduling: 'classes.arbiter',
  serialisation: 'ideal',
  serialization: 'ideal',
  'serialization delay': 'ideal',
  sflow: 'observe.series',
  'shared buffer': 'switches.buffer',
  'simulated time': 'virtual-time',
  snapshot: 'checkpoint',
  sp: 'strict',
  'spanning tree': 'not-emulated',
  spine: 'fabric.spines',
  'spine leaf': 'fabric.generator',
  'sr iov': 'hosts.nic.pools',
  'store and forward': 'switches.cutThrough',
  'strict priority': 'strict',
  'tail drop': 'drop-reasons',
  'tail latency': 'fct',
  tc: 'traffic-class',
  tcp: 'not-emulated',
  tcpdump: 'captures',
  telemetry: 'observe.series',
  'time series': 'observe.series',
  'time synchronisation': 'virtual-time',
  'token bucket': 'switches.mvtx2802.shaper',
  'top of rack': 'fabric.generator',
  topology: 'fabric.generator',
  tor: 'fabric.generator',
  'traffic class': 'traffic-class',
  transport: 'reliable',
  tsa: 'ets',
  verbs: 'reliable',
  'victim flow': 'victim',
  'virtual function': 'hosts.nic.pools',
  'virtual output queue': 'not-emulated',
  voq: 'not-emulated',
  vxlan: 'not-emulated',
  'web search': 'load[].random',
  websearch: 'load[].random',
  wireshark: 'captures',
  workload: 'load',
  wrr: 'dwrr',
  xon: 'xoff',
};

/** A line of YAML for each kind of load. */
export const LOAD_EXAMPLES: Readonly<Record<string, string>> = {
  stream: '{ stream: { from: h1, to: h2 }, rate: 40G, bytes: 10MB, priority: 3 }',
  incast: '{ incast: { from: h2..h9, to: h1 }, bytes: 1MB, priority: 3 }',
  permutation: '{ permutation: { hosts: h* }, bytes: 10MB }',
  'all-to-all': '{ all-to-all: { hosts: h* }, bytes: 100KB }',
  'all-reduce': '{ all-reduce: { hosts: h*, algorithm: ring }, bytes: 8MB }',
  job: '{ job: { steps: [{ compute: 10us }, { all-reduce: 4MiB }] }, priority: 3 }',
  random: '{ random: { hosts: h*, sizes: { fixed: 50KB }, load: 50% }, end: 1ms }',
  replay: '{ replay: frames.csv }',
};
