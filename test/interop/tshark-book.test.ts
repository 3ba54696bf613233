/** tshark reads the octets of the book of conformance, and calls none of them malformed. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { CONFORMANCE } from '../../services/cli/conformance-pages.js';
import { writeU16, writeU48 } from '../../services/engine/wire/big-endian.js';
import { ETHERTYPE_CNM } from '../../services/engine/wire/cnm.js';
import { ETHERTYPE_CONGESTION } from '../../services/engine/wire/ethernet.js';
import { WIRE_FORMATS } from '../../services/engine/wire/formats.js';
import { blankLldpFrame, encodeLldp } from '../../services/engine/wire/lldp/lldpdu.js';
import { splitTlvs } from '../../services/engine/wire/lldp/tlv.js';
import { ORDERED_SET_OCTETS } from '../../services/engine/wire/ordered-set.js';
import { SECTION_BLOCK_OCTETS } from '../../services/engine/wire/pcapng/writer.js';
import { WITH_DISSECTORS } from '../kit/dissector-fields.js';
import { ROOT } from '../kit/emulate.js';
import { skipUnlessLong } from '../kit/long-suite.js';
import { MAIN } from '../kit/pods.js';
import { captureOfPort, dissect, ERROR, tsharkMissing, worstNote } from '../kit/tshark.js';

const USER0 = 147;
/** In an interface description, behind type and length of the block. */
const LINK_TYPE_AT = SECTION_BLOCK_OCTETS + 8;

/** Behind which EtherType a PDU is. */
const ETHERTYPES: Readonly<Record<string, number>> = {
  SFCM: ETHERTYPE_CONGESTION,
  CIM: ETHERTYPE_CONGESTION,
  CNM: ETHERTYPE_CNM,
};
const LEAST = 60;

/** A field by which a dissector has read a format; of other TLVs their type. */
const FIELDS: Readonly<Record<string, string>> = {
  PAUSE: 'macc.opcode',
  PFC: 'macc.opcode',
  'Credit exchange: CE frame': 'ce.opcode',
  'Credit exchange: CE-Tag': 'ce_tag.credit',
  'CBFC: CC_Update': 'cbfc.message',
  'CBFC: CF_Update': 'cbfc.freed.vc',
  'Link-level retry': 'llr.type',
  SFCM: 'sfcm.type',
  CIM: 'cim.add',
  CNM: 'cnm.feedback',
  'CN-TAG': 'cn_tag.flow_id',
  'LLDP: Credit Exchange (CET)': 'cet.unit',
  'LLDP: Source Flow Control (SFC)': 'sfc.mac',
  'LLDP: UEC link layer': 'link_layer.version',
  'LLDP: UEC credits': 'link_layer.channels',
};

/** Where a field has several values: that of this format. */
const SUBTYPES: Readonly<Record<string, string>> = {
  PAUSE: '0x0001',
  PFC: '0x0101',
  'LLDP: ETS Configuration': '0x09',
  'LLDP: ETS Recommendation': '0x0a',
  'LLDP: PFC Configuration': '0x0b',
  'LLDP: Application Priority': '0x0c',
  'LLDP: Congestion Notification': '0x08',
  'LLDP: Congestion Isolation': '0x13',
  'LLDP: Topology Recognition': '0x14',
};

const OTHER_TLV = 'lldp.tlv.type';

/** A whole frame with the octets of a format. */
function frameOf(title: string, octets: Uint8Array): Uint8Array {
  if (title.startsWith('LLDP: ')) {
    const frame = new Uint8Array(300);
    const id = Uint8Array.of(7, 0x61);
    const tlvs = splitTlvs(octets)!;
    const lldp = { ...blankLldpFrame(), chassisId: id, portId: id, ttlSeconds: 120, tlvs };
    return frame.slice(0, encodeLldp(frame, 0, lldp));
  }
  if (title === 'CN-TAG') return behind(Uint8Array.of(...octets, 0x99, 0x99));
  const type = ETHERTYPES[title];
  return type === undefined ? octets : behind(Uint8Array.of(type >> 8, type & 0xff, ...octets));
}

/** Behind the addresses of a frame of the least length. */
function behind(octets: Uint8Array): Uint8Array {
  const frame = new Uint8Array(Math.max(LEAST, 12 + octets.length));
  writeU48(frame, 0, 0x02000000000b);
  writeU48(frame, 6, 0x02000000000a);
  frame.set(octets, 12);
  return frame;
}

function dissected(octets: Uint8Array): ReturnType<typeof dissect>[number] {
  const packet = { interfaceIndex: 0, timeNs: 0, octets, originalOctets: octets.length };
  const capture = captureOfPort('s1:p1', [{ ...packet, comment: '' }]);
  if (octets.length === ORDERED_SET_OCTETS) {
    const view = new DataView(capture.buffer, capture.byteOffset);
    view.setUint16(LINK_TYPE_AT, USER0, view.getUint16(LINK_TYPE_AT, true) === 1);
  }
  const fields = ['_ws.malformed', '_ws.expert.severity', ...Object.values(FIELDS), OTHER_TLV];
  return dissect(capture, fields, ...WITH_DISSECTORS)[0]!;
}

describe('the octets of the book of conformance', { skip: tsharkMissing }, () => {
  const titles = new Set(
    CONFORMANCE.flatMap(({ claims }) => claims).flatMap(({ octets }) => octets ?? []),
  );
  for (const { title, example } of WIRE_FORMATS.filter((format) => titles.has(format.title))) {
    // A capture begins behind it.
    if (title === 'Link-level retry: preamble') continue;
    it(`are read by tshark: ${title}`, () => {
      const packet = dissected(frameOf(title, example));
      assert.equal(packet['_ws.malformed'], '');
      assert.ok(worstNote(packet) < ERROR, packet['_ws.expert.severity']);
      assert.notEqual(packet[FIELDS[title] ?? OTHER_TLV], '');
    });
  }

  it('are malformed where they are cut, or wrong', () => {
    const { example } = WIRE_FORMATS.find(({ title }) => title.includes('(CET)'))!;
    const wrong = example.slice();
    // More enabled than capable.
    writeU16(wrong, 14, 0x08ff);
    assert.ok(worstNote(dissected(frameOf('LLDP: ', wrong))) >= ERROR);
  });
});

/** Those that an example shows; in each run a few. */
describe('captures of the book of conformance', { skip: tsharkMissing }, () => {
  const claims = CONFORMANCE.flatMap((part) => part.claims).filter(
    ({ capture }) => capture !== undefined,
  );
  for (const { octets, example, capture } of claims) {
    const title = octets!;
    const isShort = example.startsWith('incast-') && title !== 'LLDP: UEC credits';
    it(`have them: ${title}, ${example}`, { skip: isShort ? false : skipUnlessLong }, () => {
      const [ports, set] = capture!;
      const folder = mkdtempSync(join(tmpdir(), 'selvage-book-'));
      try {
        const words = ['run', `examples/${example}.yaml`, '--quiet', '--capture', ports];
        const setting = set === undefined ? [] : ['--set', set];
        const out = join(folder, 'run');
        const argv = [MAIN, ...words, ...setting, '--out', out];
        spawnSync(process.execPath, argv, { cwd: ROOT, stdio: 'ignore' });
        const field = FIELDS[title] ?? 'lldp.ieee.802_1.subtype';
        const read = dissect(
          readFileSync(join(out, 'capture.pcapng')),
          [field],
          ...WITH_DISSECTORS,
        );
        const values = read.flatMap((packet) => packet[field]!.split(','));
        const wanted = SUBTYPES[title];
        assert.ok(values.some((value) => value !== '' && (wanted ?? value) === value));
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
});
