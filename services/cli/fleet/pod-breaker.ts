import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { PodApi } from './pod-api.js';
import { INDEX_LABEL, nameIn, RUN_LABEL } from '../kubernetes/labels.js';

/** Infrastructure faults that have been injected, by their number in the scenario. */
export interface Struck {
  has(fault: number): boolean;
  add(fault: number): void;
}

/** In a file: the coordinator's pod may be the one that is killed. */
export class StruckFile implements Struck {
  constructor(private readonly file: string) {}

  has(fault: number): boolean {
    return this.all().includes(fault);
  }

  add(fault: number): void {
    writeFileSync(this.file, JSON.stringify([...this.all(), fault]));
  }

  private all(): number[] {
    if (!existsSync(this.file)) return [];
    return JSON.parse(readFileSync(this.file, 'utf8')) as number[];
  }
}

const NAME = 'statefulset.kubernetes.io/pod-name';

/** Deletes the pod of a process at once, as the loss of its node would end it. */
export function killPod(name: string, api = new PodApi(), env = process.env): Promise<void> {
  const { SELVAGE_RUN: run = '' } = env;
  const labels = new URLSearchParams({ labelSelector: selectorOf(name, run) });
  return api.send('DELETE', `pods?${labels.toString()}`, { gracePeriodSeconds: 0 });
}

function selectorOf(name: string, run: string): string {
  const [role, number] = name.split(' ');
  const own = `${RUN_LABEL}=${run}`;
  if (role === 'service') return `${own},selvage=service,${INDEX_LABEL}=${number}`;
  if (role !== 'broker') return `${own},selvage=coordinator`;
  return `${own},selvage=nats,${NAME}=${nameIn(run, 'nats')}-0`;
}
