import { MECHANISMS, RATE_CONTROLS } from '../mechanisms/registry.js';

/** What the words of the trade mean here; keys of scenarios describe themselves. */
export const TOPICS: Readonly<Record<string, string>> = {
  none: 'No flow control: what does not fit the memory is dropped, with a reason.',
  pause:
    '802.3x: a receiver stops its neighbour altogether, for a time in quanta of 512 bit ' +
    'times. All priorities of a port share one account. `pause: true` turns it on at ' +
    'every port.',
  pfc:
    '802.1Qbb: a receiver stops its neighbour priority by priority, for a time. XOFF goes ' +
    'out when the ingress account reaches its threshold, is repeated before it expires, ' +
    'and XON follows when the account has fallen by xonGap. From 10 Gb/s upwards. ' +
    '`priorities: { 3: pfc }`.',
  cbfc:
    'Credit-based flow control as Ultra Ethernet describes it, over the accounts of credit ' +
    'exchange: a sender says what it has consumed (CC_Update), a receiver what it has freed ' +
    '(CF_Update), both as cyclic counters, so the next update repairs a lost one. ' +
    '`priorities: { 3: credit }` and `credit: { codec: cbfc }`.',
  ...Object.fromEntries(
    MECHANISMS.flatMap(({ name, topic }) => (topic === undefined ? [] : [[name, topic]])),
  ),
  mvtx2802:
    'A four-port gigabit switch whose memory is slots of one frame, kept for classes and for ' +
    'source ports. Frames of a port with flow control go to the lowest queue and are never ' +
    'dropped: the port is stopped by 802.3x when its own slots run out, and goes on when all ' +
    'are free. The others keep their class and meet WRED. `switches: { model: mvtx2802 }`.',
  headroom:
    'Memory for what still arrives after the decision to stop: the longest frame that is ' +
    'in the way of the control frame, the control frame, the cable both ways, both ' +
    "interfaces, the pipeline, the neighbour's response, the frame it had begun, and a " +
    'frame that finds the pool full. Computed unless given; the summary shows every term.',
  'dynamic-threshold':
    'An account may take alpha times what is free of the shared pool, so thresholds sink ' +
    'as the memory fills. For a lossless account it is the XOFF threshold, for a lossy ' +
    'one the limit.',
  captures:
    'What passes ports, as Wireshark reads it: `selvage run FILE --capture leaf1:p3 ' +
    '--capture leaf1--spine1 --capture-filter priority=3,type=data`, or ' +
    '`observe: { captures: { ports: [leaf1:p3] } }`. One file, capture.pcapng, with an ' +
    'interface for each port; docs/observability.md tells more.',
  tables:
    'Flows, ports, samples (`observe: { series: 10us }`), events (`events: true`) and episodes ' +
    '(`episodes: true`) stand in the run directory as CSV and Parquet. `selvage query RUN ' +
    '"select name, slowdown from flows order by slowdown desc"` answers SQL over them.',
  ...Object.fromEntries(RATE_CONTROLS.map(({ kind, topic }) => [kind, topic])),
  ets:
    'Enhanced transmission selection: strict classes first, the others share what is left ' +
    'by percent, in octets on the wire. `arbiter: { ets: { 0: 50%, 3: 50%, 7: strict } ' +
    '}`. A class that is not named goes when none of the others waits.',
  dwrr:
    'Deficit weighted round robin: classes share the link by weight, in octets on the ' + 'wire.',
  strict: 'The highest traffic class that may send goes first.',
  'round-robin': 'A frame of each traffic class in turn.',
  lldp:
    'Link layer discovery (802.1AB): every port tells its neighbour who it is, at first ' +
    'quickly and then every 30 s, and forgets a neighbour that is silent. `discovery: true`; ' +
    '`selvage neighbors`.',
  dcbx:
    'Data center bridging exchange on top of LLDP: a willing port takes over PFC and ETS ' +
    'from its neighbour. IEEE (802.1Qaz), or CEE 1.01 towards who has only that. ' +
    '`selvage dcbx`.',
  willing:
    'A port that takes over what its neighbour is configured for. ' +
    '`discovery: { willing: [pfc] }`.',
  episode:
    'The time from when a queue, an account or a pause begins to hold frames back until it ' +
    'clears. Its parent is the episode that caused it. `selvage why RUN` shows the trees.',
  deadlock:
    'A circle of ingress accounts, each of which cannot empty before the next one does. ' +
    '`observe: { episodes: true }` names it, with the picosecond at which it closed. A run at ' +
    'whose end one holds is `deadlocked`, whatever is observed.',
  stalled:
    'A run at whose end flows have stopped progressing: they have data to deliver, and nothing ' +
    'arrives for longer than round trips, pacing, queues, pause times and retransmission ' +
    'timeouts explain. Exit code 4, unless the scenario expects it: ' +
    '`expect: [{ metric: stalled-flows, min: 1 }]`, or deadlocks, or starved.',
  watchdog:
    'A switch that no longer obeys a neighbour which holds a priority for too long: ' +
    '`priorities: { 3: { watchdog: { detection: 200us, restoration: 200us, action: drop } } }`. ' +
    'What it drops is counted as `watchdog`.',
  storm: 'A priority of a port that is held for longer than `observe.storm`.',
  faults:
    'What goes wrong in the emulated world: link-down, loss, bit-errors, delay, slow-link, ' +
    'control (chosen control frames are lost, doubled, late or changed), freeze, storm, ' +
    'forge, steal-credit, stuck-credit, shrink-buffer, full-table, lldp-drift, mis-cabling, ' +
    'slow-receiver and host-pause (the application of a host reads slowly, or nothing), ' +
    'reboot; `where`, `at`, `for`, `every`, `times`, `until`, `random`. Frames lost to a fault ' +
    'have a reason of their own. ' +
    '`faults: [{ kind: link-down, where: { device: leaf1 }, at: 1ms, for: 100us }]`.',
  failover:
    'What switches do when a link is down: after a detection time its port leaves the groups of ' +
    'equal-cost ports, and what waits there is moved to the others or dropped (port-down); after ' +
    'reconvergence all switches compute routes without it. What has no route is dropped ' +
    '(unreachable), and the summary names flows that cannot reach. ' +
    '`switches: { failover: 10us }`, `{ failover: { detection: 100us, reconvergence: 100us, ' +
    'queued: move } }`, or `off`.',
  machinery:
    'What breaks the processes of a run, and never its result: kill or pause of a service (named ' +
    'by a device), the broker or the coordinator, `at` a virtual time or `after` one of the wall ' +
    'clock. `--processes` obeys. `machinery: [{ kind: kill, of: coordinator, at: 2ms }]`.',
  inject:
    'A fault that comes to a run while it goes on: `selvage inject --fault link-down --where ' +
    'leaf1 --for 10us`; `--list`, `--clear NAME`. `injected.yaml` in the run directory declares ' +
    'it, at the virtual time at which it came, and gives the same digest.',
  '82599':
    'A NIC with descriptor queues, virtual machines, two planes of arbiters, rate limits and ' +
    'receive buffers, after its data sheet; `nic: { model: 82599 }`. `selvage inspect h1` shows ' +
    'its tables.',
  'weighted-strict-priority':
    'How an 82599 chooses a class: the highest that has credit, as has its bandwidth group; when ' +
    'nobody has, all are refilled. LSP: always first; GSP: first while the group has credit.',
  'rate-drift':
    'The rate factors of an 82599 shrink by a share at each interval, until a limited queue has ' +
    'the line again.',
  ideal: 'What a message would take on an idle fabric: serialisation, propagation and delays.',
  slowdown: 'Completion time over ideal time; 1 is as good as it gets.',
  digest:
    'A hash over everything that every device executed. Two runs with one digest saw the ' +
    'same fabric, event for event, however they were run.',
  reliable:
    'RoCE-like transport: messages are cut into packets, numbered, acknowledged; a gap is ' +
    'answered by a NAK and everything from there is sent again (go-back-N); silence ends ' +
    'in a time-out.',
  raw: 'Frames without a transport: nothing is acknowledged or sent again.',
  'exit-codes':
    '0 complete and expectations hold; 1 expectations failed; 2 bad input or usage; 3 the ' +
    'run failed (a lossless frame was lost, a check went red, nothing moved any more); ' +
    '130 interrupted.',
};
