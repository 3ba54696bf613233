import type { RegisterFile } from '../../engine/nic-82599/register-file.js';
import { receivedPriority } from '../../engine/nic-82599/vlan.js';
import { vlanModesOf } from '../../engine/nic-82599/vlan-modes.js';
import type { Path } from '../../settings/source-tree.js';
import type { NicHost, NicTraffic } from '../nic-context.js';
import type { Nic82599Section } from './section.js';

/**
 * Flow control on the link uses the priority of a frame, an 82599 chooses the receive buffer by its
 * user priority. Where both differ, the frame fills a buffer whose watermarks pause another
 * priority, and may be lost: returns where and why, null if that cannot be.
 */
export function strayArrival(
  section: Nic82599Section,
  file: RegisterFile,
  { hasPause, receive }: NicHost,
  { methods, arrivals }: NicTraffic,
): { readonly keys: Path; readonly message: string } | null {
  const modes = vlanModesOf(file, section.dcb);
  const { untagged } = section.vlan;
  const bufferOf = (priority: number): number => (section.dcb && !hasPause ? receive[priority] : 0);
  for (const { priority, vlans, flow } of arrivals) {
    const up = receivedPriority(priority, vlans, modes, untagged);
    if (bufferOf(up) === bufferOf(priority)) continue;
    if (methods[up] === methods[priority] && methods[up] === 'none') continue;
    const mode = vlans === 0 ? `untagged: ${untagged}` : `double: ${modes.double}`;
    const remedy =
      vlans === 0
        ? 'tag them (vlan: of the load), or use untagged: carried'
        : 'give them the tags that the VLAN modes of the NIC expect';
    const message =
      `frames of ${flow} have priority ${priority} (${methods[priority]}) on the link, but user ` +
      `priority ${up} (${methods[up]}) in the NIC (${mode}, Table 7-49): they fill receive ` +
      `buffer ${bufferOf(up)}, which flow control of priority ${priority} does not protect; ` +
      remedy;
    return { keys: vlans === 0 ? ['vlan', 'untagged'] : ['vlan'], message };
  }
  return null;
}
