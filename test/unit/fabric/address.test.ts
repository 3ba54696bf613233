import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WrittenAddress } from '../../../services/fabric/address.js';
import {
  assignAddresses,
  flowHash,
  formatIpv4,
  formatIpv6,
  formatMac,
  switchPortMac,
} from '../../../services/fabric/address.js';
import { fc } from '../../kit/properties.js';

function host(name: string, given: Partial<WrittenAddress> = {}): WrittenAddress {
  return { name, mac: null, ipv4: null, ipv6: null, ...given };
}

function assign(hosts: readonly WrittenAddress[]): string[] {
  const fail = (position: number, kind: string, message: string): Error =>
    new Error(`${position} ${kind}: ${message}`);
  return assignAddresses(hosts, fail).map(({ mac, ipv4, ipv6 }) => {
    return `${formatMac(mac)} ${formatIpv4(ipv4)} ${formatIpv6(ipv6)}`;
  });
}

describe('addresses', () => {
  it('are assigned by position', () => {
    const many = Array.from({ length: 300 }, (_, i) => host(`h${i + 1}`));
    const addresses = assign(many);
    assert.equal(addresses[0], '02:00:00:00:00:01 10.0.0.1 fd00::1');
    assert.equal(addresses[299], '02:00:00:00:01:2c 10.0.1.44 fd00::12c');
  });

  it('are kept as given', () => {
    const given = { mac: '02-AB-00-00-00-07', ipv4: '192.168.0.9', ipv6: '2001:DB8::a:0:0:b' };
    assert.deepEqual(assign([host('h1', given)]), [
      '02:ab:00:00:00:07 192.168.0.9 2001:db8::a:0:0:b',
    ]);
  });

  it('are refused when two hosts would have the same, at the one that was given', () => {
    assert.throws(
      () => assign([host('h1', { ipv4: '10.0.0.2' }), host('h2')]),
      /^Error: 0 ipv4: h1 and h2 would both have the address 10\.0\.0\.2$/,
    );
    assert.throws(
      () => assign([host('h1'), host('h2', { ipv6: 'fd00:0::0:1' })]),
      /^Error: 1 ipv6: h1 and h2 would both have the address fd00::1$/,
    );
  });

  const refused: [Partial<WrittenAddress>, RegExp][] = [
    [{ mac: '02:00:00:00:01' }, /02:00:00:00:01 is no mac address; one looks like 02:00/],
    [{ mac: '01:80:c2:00:00:01' }, /it is a group address/],
    [{ mac: '00:00:00:00:00:00' }, /it is all zero/],
    [{ mac: '02:01:00:05:00:01' }, /02:01 is the prefix of switch ports/],
    [{ ipv4: '10.0.0.256' }, /10\.0\.0\.256 is no ipv4 address/],
    [{ mac: '02:00-00:00:00:0a' }, /is no mac address/],
    [{ ipv4: '10.0.1' }, /is no ipv4 address/],
    [{ ipv4: '10.0.0.01' }, /is no ipv4 address/],
    [{ ipv4: '1e1.0.0.1' }, /is no ipv4 address/],
    [{ ipv6: '1:2:3:4::5:6:7:8' }, /is no ipv6 address/],
    [{ ipv4: '239.1.1.1' }, /not the address of one host/],
    [{ ipv6: 'fd00::1::2' }, /is no ipv6 address/],
    [{ ipv6: '1:2:3:4:5:6:7' }, /is no ipv6 address/],
    [{ ipv6: '1:2:3:4:5:6:7:8::' }, /is no ipv6 address/],
    [{ ipv6: 'fd00::12345' }, /is no ipv6 address/],
    [{ ipv6: 'ff02::1' }, /not the address of one host/],
    [{ ipv6: '::' }, /not the address of one host/],
  ];
  for (const [given, message] of refused) {
    it(`refuse ${Object.values(given).join()}`, () => {
      assert.throws(() => assign([host('h1', given)]), message);
    });
  }

  it('of IPv6 have the form of RFC 5952', () => {
    const canonical = ['1::', 'fd00::a', '1:0:0:4::8', '1:0:3:4:5:6:7:8', 'fe80::a:0:0:1'];
    for (const text of [...canonical, '1::4:0:0:7:8']) {
      assert.ok(assign([host('h1', { ipv6: text })])[0]!.endsWith(` ${text}`), text);
    }
  });

  it('of IPv6 are read back as they were written', () => {
    const octets = fc.uint8Array({ minLength: 16, maxLength: 16 });
    const sparse = octets.map((all) => all.map((octet) => (octet < 160 ? 0 : octet)));
    fc.assert(
      fc.property(sparse, (all) => {
        all[0] = 0xfd;
        const text = formatIpv6(all);
        assert.ok(assign([host('h1', { ipv6: text })])[0]!.endsWith(` ${text}`));
        assert.ok(new URL(`http://[${text}]/`).hostname === `[${text}]`);
      }),
      { numRuns: 200, seed: 4 },
    );
  });

  it('of switch ports are apart from those of hosts', () => {
    assert.equal(formatMac(switchPortMac(0, 0)), '02:01:00:01:00:01');
    assert.equal(formatMac(switchPortMac(9471, 255)), '02:01:25:00:01:00');
  });
});

describe('flow hash', () => {
  it('is the same in every version of this program', () => {
    assert.equal(flowHash(1, 2, 3, 4), 4178063214);
  });

  it('spreads neighbouring flows evenly over ports, by its low and its high bits', () => {
    for (const shift of [0, 29]) {
      const counts = new Array<number>(8).fill(0);
      for (let n = 0; n < 8000; n++) counts[(flowHash(n >> 3, n & 7, 3, n) >>> shift) & 7]!++;
      // 7 degrees of freedom: exceeded by one good hash in a thousand.
      const chi = counts.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
      assert.ok(chi < 24.3, `${chi}`);
    }
  });

  it('depends on each of its parts', () => {
    const hashes = [
      flowHash(1, 2, 3, 4),
      flowHash(2, 1, 3, 4),
      flowHash(1, 2, 4, 4),
      flowHash(1, 2, 3, 5),
      flowHash(1, 3, 3, 4),
    ];
    assert.equal(new Set(hashes).size, hashes.length);
  });
});
