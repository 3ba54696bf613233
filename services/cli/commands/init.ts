import { writeFileSync } from 'node:fs';
import { InputError } from '../exit.js';

const STARTER = `# A scenario of Selvage. Run it:      selvage run FILE
# What a key means:                   selvage explain load[].transport
# Completion in an editor:            selvage schema --out scenario.schema.json
selvage: 1                  # version of this format
name: my-first-fabric
seed: 1                     # the same seed gives the same run, to the last frame

# Two leaves with four hosts each, two spines. Other generators: pair, star, dumbbell, ring,
# fat-tree, clos; or list devices and links yourself.
fabric:
  generator: leaf-spine
  leaves: 2
  spines: 2
  hostsPerLeaf: 4
  hostLink: { rate: 100G, length: 5m }
  fabricLink: { rate: 100G, length: 50m }

switches:
  pipeline: 500ns           # from the last bit received to the buffer
  buffer: { size: 16MB }

# Priority 3 is lossless: the switch stops its neighbour before it must drop.
priorities:
  3: { flowControl: pfc, responseDelay: 200ns }

# What is sent. h1..h4 hang on leaf1, h5..h8 on leaf2.
load:
  - name: burst
    incast: { from: h2..h8, to: h1 }
    bytes: 500KB
    priority: 3
  - name: background
    stream: { from: h5, to: h2 }
    rate: 20G
    bytes: 1MB
    priority: 0

observe: { series: 10us }   # a sample of every port each 10 us, in series.csv

# What must hold: decides the exit code.
expect:
  - { metric: lossless-drops, max: 0 }
  - { metric: completed, min: 100% }
`;

export function initCommand(file: string): void {
  try {
    writeFileSync(file, STARTER, { flag: 'wx' });
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    const why = exists ? 'it exists already; name another file' : (error as Error).message;
    throw new InputError(`${file} was not written: ${why}`);
  }
  process.stdout.write(`wrote ${file}; run it with: selvage run ${file}\n`);
}
