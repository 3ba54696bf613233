/** What public sources leave open of the link layer is chosen: the tables say what the code does. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { CHARGE_MOST } from '../../../services/engine/buffer/charges.js';
import { CF_COUNT_MASK } from '../../../services/engine/wire/cf-update.js';
import { blankLlrSet, decodeLlrSet, LLR_INIT } from '../../../services/engine/wire/llr.js';
import {
  blankChannelCredits,
  encodeChannelCredits,
} from '../../../services/engine/wire/lldp/link-layer-tlvs.js';
import {
  blankCcUpdate,
  encodeCcUpdate,
} from '../../../services/engine/wire/mac-control/cc-update.js';
import { CHANNEL_CREDITS_MOST } from '../../../services/mechanisms/cbfc/machine.js';
import { ROOT } from '../../kit/emulate.js';

/** Rows of the table whose head has a word, as cells. */
function rowsOf(mechanism: string, head: RegExp): string[][] {
  const file = join(ROOT, 'services/mechanisms', mechanism, 'README.md');
  const lines = readFileSync(file, 'utf8').split('\n');
  const heads = lines.filter((line) => line.startsWith('|') && head.test(line));
  assert.equal(heads.length, 1, `${mechanism}: one table of choices`);
  const from = lines.indexOf(heads[0]!) + 2;
  const rest = lines.slice(from);
  const end = rest.findIndex((line) => !line.startsWith('|'));
  return rest.slice(0, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function hexOf(encode: (octets: Uint8Array) => number): string {
  const octets = new Uint8Array(512);
  return Buffer.from(octets.subarray(0, encode(octets))).toString('hex');
}

describe('the choices of the link layer', () => {
  const cbfc = rowsOf('cbfc', /choice \(nothing public says it\)/);
  const llr = rowsOf('llr', /question .*choice/);

  it('stand in one table of each mechanism, each with what it is', () => {
    for (const rows of [cbfc, llr]) {
      assert.ok(rows.length > 10);
      for (const cells of rows) {
        assert.equal(cells.length, 2, cells.join(' | '));
        assert.ok(cells.every((cell) => cell !== ''));
      }
      assert.equal(new Set(rows.map(([first]) => first)).size, rows.length);
    }
  });

  it('name the numbers of the code', () => {
    const text = cbfc.flat().join('\n');
    assert.match(text, /low 15 bits of the counter/);
    assert.equal(CF_COUNT_MASK, 2 ** 15 - 1);
    assert.match(text, /at most 32,767 credits/);
    assert.equal(CHANNEL_CREDITS_MOST, 32_767);
    assert.match(text, /at most 255 credits/);
    assert.equal(CHARGE_MOST, 255);
    assert.match(text, /opcode 0xFFFE .*identifier 02-CE-70, message 1 or 2/);
    assert.match(
      hexOf((octets) => encodeCcUpdate(octets, 0, blankCcUpdate())),
      /8808fffe02ce7001/,
    );
    assert.match(text, /`discovery.identifier`, subtypes 3 and 4/);
    const credits = hexOf((octets) => encodeChannelCredits(octets, 0, blankChannelCredits()));
    assert.match(credits, /02ce7004/);
  });

  it('say of an initialisation what the decoder refuses', () => {
    assert.match(llr.flat().join('\n'), /Counts initialisations and is never 0/);
    const init = Uint8Array.from([0x4b, LLR_INIT, 0, 0, 0x06, 0, 0, 0]);
    assert.equal(decodeLlrSet(init, init.length, blankLlrSet()), 'bad-value');
  });
});
