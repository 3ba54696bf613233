/** `selvage size` with a vendor's script and an operator's table beside Annex N. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HEADROOM_CHIPS } from '../../services/fabric/buffers/asics.js';
import { scriptedProfile } from '../../services/fabric/buffers/headroom-script.js';
import { memorySizes } from '../../services/fabric/sizing/memory-sizes.js';
import { otherHeadroom } from '../../services/fabric/sizing/other-headroom.js';
import { sizeJson, sizeText } from '../../services/report/size-text.js';
import { styleFor } from '../../services/cli/style.js';
import { fabricOf } from '../kit/emulate.js';

const ports = memorySizes(
  fabricOf('examples/victim-behind-pfc.yaml', 'fabric.fabricLink={ rate: 100G, length: 300m }'),
);
const port = ports.find(({ propagationPs, sizes }) => propagationPs === 1.5e6 && sizes.length > 0)!;
const table = (xoff: number | null) => ({ file: 'pg.ini', lookUp: () => xoff });
const chip = { name: 'spc3', script: HEADROOM_CHIPS.spc3 };

describe('selvage size', () => {
  it('sets a script beside it, whose terms are its sum', () => {
    const [script] = otherHeadroom(port, { chip, table: null });
    const sum = Object.values(script!.terms).reduce((all, octets) => all + octets, 0);
    assert.equal(sum, script!.totalOctets);
    const request = { rateMbps: 100_000, cableMetres: 300, mtu: 9100, losslessMtu: 9100 };
    const rest = { smallPercent: 100, gearboxNs: 0, lanes: 4, isShared: true };
    assert.equal(script!.totalOctets, scriptedProfile(chip.script, { ...request, ...rest }).xoff);
    // There and back: 600 m at 1.98e8 m/s; 394 quanta.
    assert.equal(script!.terms['2C'], 37_879);
    assert.equal(script!.terms['HD'], 394 * 64);
  });

  it('says where a table has less than the cable holds, or no line', () => {
    const problemOf = (xoff: number | null): string | null =>
      otherHeadroom(port, { chip: null, table: table(xoff) })[0]!.problem;
    assert.equal(problemOf(40_000), null);
    assert.match(
      problemOf(37_878)!,
      /^table pg\.ini has 37878 bytes for 100000 300m, and the cable alone holds 37879: frames are/,
    );
    assert.match(problemOf(null)!, /has no line for 100000 300m: the port has no headroom/);
  });

  it('prints all three, term by term, and as JSON', () => {
    const others = () => otherHeadroom(port, { chip, table: table(30_000) });
    const text = sizeText([port], styleFor(process.stdout), others);
    assert.match(text, /term +auto +lasts +script of spc3 +table pg\.ini/);
    assert.match(text, /link, there and back +2C +37,500 +3 us +37,879 +–/);
    assert.match(text, /in all +[\d,]+ +– +[\d,]+ +30,000/);
    assert.match(text, /the cable alone holds 37879/);
    const [json] = sizeJson([port], others) as [{ readonly others: readonly object[] }];
    assert.equal(json.others.length, 2);
    assert.ok(!sizeText([port], styleFor(process.stdout)).includes('in all'));
  });
});
