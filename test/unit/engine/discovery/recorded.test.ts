/** LLDPDUs of other programs, recorded on a virtual link. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { blankStatistics } from '../../../../services/engine/discovery/lldp/lldp-managed.js';
import {
  blankReceive,
  receiveLldp,
} from '../../../../services/engine/discovery/lldp/receive-machine.js';
import { OUI_SELVAGE } from '../../../../services/engine/wire/lldp/tlv.js';

const PORT = { neighborsMost: 4, identifier: OUI_SELVAGE };

/** lldpd 1.0.16, started with `-S someone`, at an interval of one second. */
const LLDPD = `0180c200000e 02000000000b 88cc 0207 04 02000000000b 0407 03 02000000000b 0602 0004
  0a02 766d 0c07 736f6d656f6e65 0e04 009c 0080
  1018 11 02 fe80000000000000000000fffe00000b 02 00000002 00 0802 7631
  fe09 00120f 03 01 00000000 fe09 00120f 01 00 8000 0036 0000`;

/** lldpad 1.2.99 with adminStatus=rxtx and its port description on. */
const LLDPAD = `0180c200000e 02000000000b 88cc 0207 04 02000000000b 0407 03 02000000000b 0602 0078
  0813 496e74657266616365202020322061732076 31 0000 00`;

/** The same lldpd, configured by `lldpcli configure lldp custom-tlv` to send IEEE DCBX. */
const LLDPD_DCBX = `0180c200000e 02000000000b 88cc 0207 04 02000000000b 0407 03 02000000000b 0602 0004
  0a02 766d 0c07 736f6d656f6e65 0e04 009c 0010
  1018 11 02 fe80000000000000000000fffe00000b 02 00000002 00 0802 7631
  fe09 00120f 03 01 00000000 fe09 00120f 01 00 8000 0036
  fe19 0080c2 09 03 00010022 3232000000000000 0202000000000000
  fe06 0080c2 0b 04 18 fe08 0080c2 0c 00 63 12b7 0000`;

function learned(hex: string) {
  const [rx, stats] = [blankReceive(), blankStatistics()];
  const octets = Uint8Array.from(Buffer.from(hex.replaceAll(/\s/g, ''), 'hex'));
  assert.equal(receiveLldp(rx, stats, PORT, octets), 'new');
  return { neighbor: rx.neighbors[0]!, stats };
}

it('an LLDPDU of lldpd is learned, with what is unknown in it kept', () => {
  const { neighbor, stats } = learned(LLDPD);
  const { remote } = neighbor;
  assert.equal(neighbor.ttl, 4);
  assert.equal(remote.systemName, 'vm');
  assert.equal(remote.systemDescription, 'someone');
  assert.equal(remote.portDescription, 'v1');
  assert.deepEqual(remote.capabilities, { supported: 0x9c, enabled: 0x80 });
  assert.equal(remote.managementAddress?.family, 2);
  assert.equal(remote.managementAddress.interfaceNumber, 2);
  assert.equal(remote.unrecognized.length, 2);
  assert.equal(stats.statsTLVsUnrecognizedTotal, 2);
  assert.equal(stats.statsTLVsDiscardedTotal, 0);
});

it('an LLDPDU of lldpad is learned', () => {
  const { neighbor, stats } = learned(LLDPAD);
  assert.equal(neighbor.ttl, 120);
  assert.equal(neighbor.mac, 0x02000000000b);
  assert.equal(neighbor.remote.portDescription, 'Interface   2 as v1');
  assert.equal(stats.statsTLVsDiscardedTotal, 0);
});

it('an LLDPDU of lldpd with DCBX is learned, with all that it says', () => {
  const { neighbor, stats } = learned(LLDPD_DCBX);
  const { etsConfiguration, pfc, applications } = neighbor.remote;
  assert.deepEqual(etsConfiguration?.classOf, [0, 0, 0, 1, 0, 0, 2, 2]);
  assert.deepEqual(etsConfiguration.shares, [50, 50, 0, 0, 0, 0, 0, 0]);
  assert.deepEqual(etsConfiguration.algorithms, [2, 2, 0, 0, 0, 0, 0, 0]);
  assert.equal(pfc?.enabled, 0b11000);
  assert.equal(pfc.capability, 4);
  assert.deepEqual(applications?.entries, [{ selector: 3, protocol: 4791, priority: 3 }]);
  assert.equal(stats.statsTLVsDiscardedTotal, 0);
});
