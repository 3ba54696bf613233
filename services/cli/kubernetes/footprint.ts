// High-water marks of resident memory of `selvage run --services 1`, measured for leaf-spine
// fabrics of 4, 64 and 1,024 devices under a permutation of 200 KB flows: a service takes 87, 106
// and 485 MB, the coordinator's two processes 247, 271 and 402 MB. Limits leave as much again.

const MIB_PER_DEVICE = 0.6;
const SERVICE_MIB = 96;
/** The command, and the coordinator that it starts. */
const COORDINATOR_MIB = 256;
const COORDINATOR_MIB_PER_DEVICE = 0.25;
const HEAP_MIB = 160;

/** Of the isolate of a thread, beside its devices. */
const MIB_PER_THREAD = 48;
/** Partitions advance together: one with many devices has a core. */
const CORE = '1';
/** A single device waits for its link partners most of the time. */
const SHARE_OF_CORE = '100m';

export interface Footprint {
  readonly cpu: string;
  readonly memory: string;
  readonly memoryLimit: string;
}

/** What the largest service requests, by its number of devices and of threads. */
export function serviceFootprint(devices: number, threads = 1): Footprint {
  const partitions = Math.min(devices, threads);
  const cpu = devices === 1 ? SHARE_OF_CORE : `${partitions}`;
  const isolates = partitions === 1 ? 0 : MIB_PER_THREAD * partitions;
  return { cpu, ...memoryOf(SERVICE_MIB + isolates + MIB_PER_DEVICE * devices) };
}

/** What a pod requests that executes one run after the other, in one process. */
export function pointFootprint(devices: number): Footprint {
  return { cpu: CORE, ...memoryOf(SERVICE_MIB + MIB_PER_DEVICE * devices) };
}

/** What the coordinator of a fabric requests; it puts the results of all services together. */
export function coordinatorFootprint(devices: number): Footprint {
  return { cpu: '500m', ...memoryOf(COORDINATOR_MIB + COORDINATOR_MIB_PER_DEVICE * devices) };
}

function memoryOf(mib: number): { memory: string; memoryLimit: string } {
  const memory = Math.ceil(mib);
  return { memory: `${memory}Mi`, memoryLimit: `${2 * memory + HEAP_MIB}Mi` };
}
