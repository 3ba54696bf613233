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
const SWITCHING = 'services/engine/device/switch/switching.js';

export const DEEP_MUTANTS: readonly DeepMutant[] = [
  {
    name: 'a port is one octet time faster than its link',
    rule: 'wire',
    example: 'incast-pfc',
    file: LOOP,
    from: 'const free = now + wireOctets * octetPs + late;',
    to: 'const free = now + (wireOctets - 1) * octetPs + late;',
  },
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
];
