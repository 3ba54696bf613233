import type { CaptureLog } from '../../services/engine/analysis/capture/capture-log.js';
import { readCapture } from '../../services/engine/wire/pcapng/reader.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { capturesWanted } from '../../services/cli/captured.js';
import { captureFile } from '../../services/telemetry/captures/capture-file.js';

/** The file that a run leaves. */
export function captureOctets(fabric: Fabric, logs: readonly CaptureLog[] | null): Buffer {
  return Buffer.concat([...captureFile(fabric, capturesWanted(fabric, logs)!)]);
}

/** One packet as text: interface and comment. */
export function packetLines(octets: Uint8Array): string[] {
  const { outcome, interfaces, packets } = readCapture(octets);
  if (outcome !== 'ok') throw new Error(outcome);
  return packets.map(
    ({ interfaceIndex, comment }) => `${interfaces[interfaceIndex]!.name} ${comment}`,
  );
}
