/** Common LLDP daemons list the emulated neighbor, and it learns from their frames. */

import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { BY_UDP_PORT } from '../../services/engine/wire/lldp/dcbx-ieee.js';
import { adminOf, DiscoveryEnd, specOf } from '../kit/discovery-link.js';
import { DAEMON_PORT, meet, whyNot } from './real-neighbor.js';

const folder = mkdtempSync(join(tmpdir(), 'selvage-lldp-'));
// lldpd gives up its rights, and its client talks to it all the same.
chmodSync(folder, 0o755);
after(() => {
  rmSync(folder, { recursive: true });
});

/** ETS configuration, PFC for priorities 3 and 4, RoCE on 3; behind OUI and subtype. */
const DCBX_TLVS = [
  [9, '03,00,01,00,22,32,32,00,00,00,00,00,00,02,02,00,00,00,00,00,00'],
  [11, '04,18'],
  [12, '00,63,12,b7'],
] as const;

function emulated(): DiscoveryEnd {
  const shares = [60, 40, 0, 0, 0, 0, 0, 0];
  const ets = {
    willing: false,
    shaper: false,
    classes: 8,
    classOf: [0, 0, 0, 1, 0, 0, 2, 2],
    shares,
    algorithms: [2, 2, 0, 0, 0, 0, 0, 0],
  };
  const admin = adminOf({
    ets,
    recommendation: ets,
    pfc: { willing: true, noMacsecBypass: false, capability: 4, enabled: 1 << 3 },
    applications: [{ selector: BY_UDP_PORT, protocol: 4791, priority: 3 }],
  });
  return new DiscoveryEnd(specOf(0x020000000a0a, [{ fromPs: 0, admin }]));
}

describe('lldpd', { skip: whyNot('lldpd', 'lldpcli') }, () => {
  it('lists the emulated neighbor with its names, and is learned by it', async () => {
    const end = emulated();
    const socket = join(folder, 'lldpd.socket');
    let listed = '';
    await meet(`lldpd -d -u ${socket} -I ${DAEMON_PORT} -S someone`, end, (query) => {
      query(`lldpcli -u ${socket} configure lldp tx-interval 1`);
      // lldpd does not send DCBX by itself, but custom TLVs.
      for (const [subtype, content] of DCBX_TLVS) {
        const tlv = `oui 00,80,c2 subtype ${subtype} oui-info ${content}`;
        query(`lldpcli -u ${socket} configure lldp custom-tlv replace ${tlv}`);
      }
      listed = query(`lldpcli -u ${socket} show neighbors details`);
      const [known] = end.port.agents[0]!.rx.neighbors;
      return listed.includes('SysName') && (known?.remote.applications ?? null) !== null;
    });
    for (const words of [
      /ChassisID: +mac 02:00:00:00:0a:0a/,
      /SysName: +s10/,
      /SysDescr: +a switch/,
      /PortID: +ifname p1/,
      /PortDescr: +port 1/,
      /TTL: +121/,
      /Bridge, on/,
    ]) {
      assert.match(listed, words);
    }
    const [neighbor] = end.port.agents[0]!.rx.neighbors;
    assert.equal(neighbor!.remote.portDescription, DAEMON_PORT);
    assert.equal(neighbor!.remote.systemDescription, 'someone');
    assert.equal(neighbor!.remote.discarded, 0);
    assert.equal(neighbor!.remote.pfc?.enabled, 0b11000);
    assert.deepEqual(neighbor!.remote.etsConfiguration?.shares, [50, 50, 0, 0, 0, 0, 0, 0]);
    assert.deepEqual(neighbor!.remote.applications?.entries, [
      { selector: BY_UDP_PORT, protocol: 4791, priority: 3 },
    ]);
    assert.equal(end.port.operation.pfc, 0b11000);
    assert.equal(end.port.operation.pfcFrom, 'peer');
    assert.equal(end.port.agents[0]!.stats.statsFramesInErrorsTotal, 0);
  });
});

describe('lldpad', { skip: whyNot('lldpad', 'lldptool') }, () => {
  it('lists the emulated neighbor with its DCBX TLVs, and is learned by it', async () => {
    const end = emulated();
    let listed = '';
    await meet(`lldpad -f ${join(folder, 'lldpad.conf')}`, end, (query) => {
      query(`lldptool set-lldp -i ${DAEMON_PORT} adminStatus=rxtx`);
      query(`lldptool -T -i ${DAEMON_PORT} -V portDesc enableTx=yes`);
      listed = query(`lldptool -t -n -i ${DAEMON_PORT}`);
      return listed.includes('PFC') && end.port.agents[0]!.rx.neighbors.length > 0;
    });
    for (const words of [
      /MAC: 02:00:00:00:0a:0a/,
      /Ifname: p1/,
      /s10/,
      /IEEE 8021QAZ ETS Configuration TLV/,
      /PRIO_MAP: 0:0 1:0 2:0 3:1 4:0 5:0 6:2 7:2/,
      /TC Bandwidth: 60% 40% 0% 0% 0% 0% 0% 0%/,
      /TSA_MAP: 0:ets 1:ets 2:strict/,
      /ETS Recommendation TLV/,
      /PFC capable traffic classes: 4/,
      /PFC enabled: 3/,
      /Prio 3 \t Sel 3 .*UDP or DCCP Port: 4791/,
    ]) {
      assert.match(listed, words);
    }
    const { agents } = end.port;
    assert.equal(agents[0]!.rx.neighbors.length, 1);
    assert.equal(agents[0]!.stats.statsFramesInErrorsTotal, 0);
  });
});
