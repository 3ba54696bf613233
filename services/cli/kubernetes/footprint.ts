import { parse } from 'yaml';
import { textOf } from './manifests.js';

/** Measured needs of the processes of a run: of each, of each of its devices and threads. */
interface Measured {
  readonly service: { mib: number; mibPerDevice: number; mibPerThread: number };
  readonly coordinator: { mib: number; mibPerDevice: number };
  readonly heapMib: number;
  readonly core: string;
  readonly shareOfCore: string;
  readonly coordinatorCpu: string;
}

const MEASURED = parse(textOf('.', 'footprint.yaml')) as Measured;

export interface Footprint {
  readonly cpu: string;
  readonly memory: string;
  readonly memoryLimit: string;
}

/** What the largest service requests, by its number of devices and of threads. */
export function serviceFootprint(devices: number, threads = 1): Footprint {
  const { mib, mibPerThread, mibPerDevice } = MEASURED.service;
  const partitions = Math.min(devices, threads);
  const cpu = devices === 1 ? MEASURED.shareOfCore : `${partitions}`;
  const isolates = partitions === 1 ? 0 : mibPerThread * partitions;
  return { cpu, ...memoryOf(mib + isolates + mibPerDevice * devices) };
}

/** What a pod requests that executes one run after the other, in one process. */
export function pointFootprint(devices: number): Footprint {
  const { mib, mibPerDevice } = MEASURED.service;
  return { cpu: MEASURED.core, ...memoryOf(mib + mibPerDevice * devices) };
}

/** What the coordinator of a fabric requests; it puts the results of all services together. */
export function coordinatorFootprint(devices: number): Footprint {
  const { mib, mibPerDevice } = MEASURED.coordinator;
  return { cpu: MEASURED.coordinatorCpu, ...memoryOf(mib + mibPerDevice * devices) };
}

function memoryOf(mib: number): { memory: string; memoryLimit: string } {
  const memory = Math.ceil(mib);
  return { memory: `${memory}Mi`, memoryLimit: `${2 * memory + MEASURED.heapMib}Mi` };
}
