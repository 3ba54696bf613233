import type { WireLog } from '../../engine/analysis/wire/wire-recorder.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { fingerprint } from './fingerprint.js';
import type { WireResult } from './results.js';

/** Fingerprints of what each port transmitted, by the names of ports. */
export function wireResult({ linkEnds }: Fabric, wire: readonly WireLog[]): WireResult {
  const ports = linkEnds.flatMap((ends, device) =>
    ends.map(({ name, port }) => ({ port: name, fingerprint: wire[device]!.hex(port) })),
  );
  return {
    fingerprint: fingerprint(ports.map((each) => `${each.port} ${each.fingerprint}`)),
    ports,
  };
}
