import type { SourceDefect } from '../engine-copy.js';

/**
 * A defect that `--check` misses in an example, and the rule of the second oracle that it breaks.
 */
interface DeepMutant extends SourceDefect {
  readonly name: string;
  readonly rule: string;
  readonly example: string;
}

const LOOP = 'services/engine/device/loop.js';
const ROUTER = 'services/engine/device/switch/router.js';
const BUFFER = 'services/engine/buffer/shared-buffer.js';
const SWITCHING = 'services/engine/device/switch/switching.js';

export const DEEP_MUTANTS: readonly DeepMutant[] = [
  {
    name: 'a frame is in one picosecond late',
    rule: 'wire',
    example: 'incast-pfc',
    file: LOOP,
    from: 'octetPs + ports.latencyPs(port) + late;',
    to: 'octetPs + ports.latencyPs(port) + late + 1;',
  },
  {
    name: 'a control frame takes effect a nanosecond late',
    rule: 'wire',
    example: 'incast-pfc',
    file: LOOP,
    from: 'const slot = store.put(octets, length);',
    to: 'const slot = store.put(octets, length); at += 1000;',
  },
  {
    name: 'the first frame of a flow takes another path',
    rule: 'routes',
    example: 'leaf-spine-all-to-all',
    file: ROUTER,
    from: 'const out = this.#setPorts[start + choice];',
    to: 'const out = this.#setPorts[start + (choice + (words[frame + 5] === 0 ? 1 : 0)) % size];',
  },
  {
    name: 'a switch changes the hash of a frame',
    rule: 'conservation',
    example: 'lossy-and-lossless',
    file: SWITCHING,
    from: /(words\[frame \+ 6[^\]]*\] = stored;)/,
    to: '$1 words[frame + 3] ^= 64;',
  },
  {
    name: 'a lossy account may have more of the pool',
    rule: 'buffers',
    example: 'incast-lossy',
    file: BUFFER,
    from: /(const limit = memory\[[^\]]*\] \+ memory\[[^\]]*\] \* free)/,
    to: '$1 + 2000',
  },
  {
    name: 'XOFF is a kilobyte late',
    rule: 'pause-initiator',
    example: 'incast-pfc',
    file: BUFFER,
    from: 'return dynamic < fixed ? dynamic : fixed;',
    to: 'return (dynamic < fixed ? dynamic : fixed) + 1024;',
  },
  {
    name: 'XON is a frame late',
    rule: 'pause-initiator',
    example: 'incast-pfc',
    file: BUFFER,
    from: '<= (limit > 0 ? limit : 0)',
    to: '<= (limit > 1100 ? limit - 1100 : 0)',
  },
  {
    name: 'PFC states one quantum too few',
    rule: 'pause-initiator',
    example: 'incast-pfc',
    file: 'services/mechanisms/pfc/machine.js',
    from: 'frame.quanta[p] = quanta;',
    to: 'frame.quanta[p] = quanta - 1;',
  },
  {
    name: 'a pause is refreshed a nanosecond late',
    rule: 'pause-initiator',
    example: 'ring-deadlock',
    file: 'services/mechanisms/pfc/pause-initiator.js',
    from: 'this.refreshAt[port] = txEnd + this.refreshPs[port];',
    to: 'this.refreshAt[port] = txEnd + this.refreshPs[port] + 1000;',
  },
  {
    name: 'a pause lasts a quantum longer than it states',
    rule: 'work',
    example: 'storm',
    file: 'services/engine/quanta/pause-responder.js',
    from: /(this\.loadFor\(port, timer, )quanta \*/,
    to: '$1(quanta + (quanta > 0 ? 1 : 0)) *',
  },
  {
    name: 'a port that has slept starts an octet time late',
    rule: 'work',
    example: 'incast-pfc',
    file: 'services/engine/device/egress-path.js',
    from: 'const at = free > now ? free : now;',
    to: 'const at = free > now ? free : now + 80;',
  },
  {
    name: 'quanta of shares are an octet too small',
    rule: 'arbiter',
    example: 'ets-shares',
    file: 'services/engine/arbiter/dwrr.js',
    from: '(w / least) * 1538',
    to: '(w / least) * 1537',
  },
  {
    name: 'RED marks every frame only ten kilobytes later',
    rule: 'marking',
    example: 'incast-dcqcn',
    file: 'services/mechanisms/ecn/machine.js',
    from: 'if (octets >= spec.maxOctets)',
    to: 'if (octets >= spec.maxOctets + 10000)',
  },
  {
    name: 'RED marks half of the share',
    rule: 'marking',
    example: 'incast-dcqcn',
    file: 'services/mechanisms/ecn/machine.js',
    from: 'return (spec.probability *',
    to: 'return (spec.probability / 2 *',
  },
  {
    name: 'forty octets too few leave an egress queue',
    rule: 'marking',
    example: 'incast-dcqcn',
    file: 'services/engine/port/queues.js',
    from: /(records\[q \+ 3[^\]]*\] -= words\[frame \+ 6[^\]]*\]);/,
    to: '$1 - 40;',
  },
  {
    name: 'a credit report states one unit too few',
    rule: 'credit',
    example: 'incast-credit',
    file: 'services/mechanisms/credit/sender.js',
    from: '- carrier.repeatableUnits(row))',
    to: '- carrier.repeatableUnits(row) - 1)',
  },
  {
    name: 'a frame costs a credit too many',
    rule: 'cbfc',
    example: 'incast-cbfc',
    file: 'services/mechanisms/cbfc/machine.js',
    from: '(1 << shift) - 1) >> shift;',
    to: '(1 << shift) - 1 + 64) >> shift;',
  },
  {
    name: 'an acknowledgement of link-level retry states the next number',
    rule: 'link-retry',
    example: 'link-retry',
    file: 'services/mechanisms/llr/machine.js',
    from: /return \(w\[at \+ ([^\]]*RX_EXPECTED[^\]]*)\] - 1\) & ([^;]*);/,
    to: 'return (w[at + $1] - 2) & $2;',
  },
  {
    name: 'DCQCN adds a tenth to what an increase gives',
    rule: 'rates',
    example: 'incast-dcqcn',
    file: 'services/mechanisms/dcqcn/machine.js',
    from: /(RATE[^\]]*\] \+ table\[s \+ [^\]]*TARGET[^\]]*\]\)) \/ 2;/,
    to: '$1 / 1.99;',
  },
  {
    name: 'TIMELY cuts by less than its gradient',
    rule: 'rates',
    example: 'incast-timely',
    file: 'services/mechanisms/timely/machine.js',
    from: '1 - spec.decrease * badness',
    to: '1 - spec.decrease * badness * 0.99',
  },
  {
    name: 'a congestion point weighs the growth of its queue twice',
    rule: 'messages',
    example: 'incast-qcn',
    file: 'services/mechanisms/qcn/machine.js',
    from: '-(offset + weight * delta)',
    to: '-(offset + 2 * weight * delta)',
  },
  {
    name: 'a sender of credit keeps a unit',
    rule: 'work',
    example: 'slow-receiver-credit',
    file: 'services/mechanisms/credit/sender.js',
    from: /return (\S*ahead\(.*\)) \* (counts\[.*\]) >= octets;/,
    to: 'return ($1 - 1) * $2 >= octets;',
  },
  {
    name: 'a channel of CBFC may have a frame less in use than its limit',
    rule: 'work',
    example: 'incast-cbfc',
    file: 'services/mechanisms/cbfc/frame-path.js',
    from: /(inUseAt\(words, at\) \+) credits >/,
    to: '$1 2 * credits >',
  },
  {
    name: 'what backs credit is a frame smaller than what is granted',
    rule: 'credit',
    example: 'incast-credit',
    file: 'services/fabric/assembly/accounts.js',
    from: 'return priorities.reduce((sum, priority) => sum + memory[priority], 0);',
    to: 'return priorities.reduce((sum, priority) => sum + memory[priority], 0) - 2000;',
  },
  {
    name: 'a source is paused a slot late',
    rule: 'pause-initiator',
    example: 'mvtx2802-blocking',
    file: 'services/engine/mvtx2802/stops.js',
    from: 'used >= xoffSlots[source]',
    to: 'used > xoffSlots[source]',
  },
];
