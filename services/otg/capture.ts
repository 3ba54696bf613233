/** Captures of ports of the tester: when they were on, and what they have seen. */

import { capturesOf } from '../fabric/assembly/observer-plan.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import { PS_PER_NS } from '../engine/units/time.js';
import type { Session } from '../runtime/session.js';
import { captureFile, type Captures } from '../telemetry/captures/capture-file.js';
import { pcapFile } from '../telemetry/captures/pcap-file.js';

/** As a configuration has it. */
export interface TesterCapture {
  readonly name: string;
  readonly ports: readonly string[];
  readonly format: 'pcap' | 'pcapng';
  /** Most octets of a packet; null: its headers, and of messages all. */
  readonly snapOctets: number | null;
}

/** Most frames of a port that are kept. */
const FRAMES_MOST = 1_000_000;

/** By port: from when, and until when it captures. */
export class CaptureTimes {
  private readonly times = new Map<string, { readonly fromPs: number; untilPs: number }>();

  start(port: string, nowPs: number): void {
    this.times.set(port, { fromPs: nowPs, untilPs: Infinity });
  }

  stop(port: string, nowPs: number): void {
    const own = this.times.get(port);
    if (own !== undefined) own.untilPs = Math.min(own.untilPs, nowPs);
  }

  isOn(port: string): boolean {
    return this.times.get(port)?.untilPs === Infinity;
  }

  /** Null: it never was on. */
  at(port: string): { readonly fromPs: number; readonly untilPs: number } | null {
    return this.times.get(port) ?? null;
  }
}

/** What a scenario has to capture for these hosts; null: nothing. */
export function observed(hosts: readonly string[]): object | null {
  if (hosts.length === 0) return null;
  return { captures: { ports: hosts.map((host) => `${host}:p1`), frames: FRAMES_MOST } };
}

/** The file of one host, with what it has seen between two times. */
export function fileOf(
  fabric: Fabric,
  session: Session,
  {
    host,
    fromPs,
    untilPs,
  }: { readonly host: string; readonly fromPs: number; readonly untilPs: number },
  { format, snapOctets }: TesterCapture,
): Uint8Array {
  const device = fabric.topology.devices.findIndex(({ name }) => name === host);
  const spec = capturesOf(fabric, [...fabric.specs.keys()])!;
  const captures: Captures = {
    spec: { ...spec, ports: spec.ports.map((ports, i) => (i === device ? ports : [])) },
    snapOctets,
    logs: session.captures() ?? [],
    only: { device, fromNs: fromPs / PS_PER_NS, untilNs: untilPs / PS_PER_NS },
  };
  if (format === 'pcap') return pcapFile(fabric, captures);
  return Buffer.concat([...captureFile(fabric, captures)].map((piece) => Buffer.from(piece)));
}
