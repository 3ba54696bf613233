/** Whatever a scenario may say, generated worlds say it sooner or later. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { draftWorld, makeWorld } from '../../services/hunt/worlds/world.js';
import { skipUnlessLong } from '../kit/long-suite.js';
import { keysOfDocument, keysOfSchema } from './schema-keys.js';

const SEED = 1;
const DRAFTS = 2500;
const WORLDS = 6000;

/** Keys that no world has, by their beginnings, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  extends: 'it names another file; the merged scenario says the same',
  plugins: 'it names another file, which the tests of plugins run in every runner',
  'plugins.[].file': 'the same',
  'plugins.[].sha256': 'the same',
  'plugins.[].text': 'the same',
  'load.[].replay': 'it names another file',
  'load.[].job.goal': 'it names another file; its steps come to the same operations',
  'load.[].job.chakra': 'the same',
  'load.[].job.simai': 'the same',
  'load.[].job.msccl': 'the same',
  'load.[].job.htsim': 'the same',
  'load.[].job.edges': 'it is of such a file',
  'load.[].job.vector': 'the same',
  'load.[].job.startUnit': 'the same',
  'load.[].random.sizes.file': 'it names another file',
  'hosts.nic.trace': 'it names another file; what it writes, writes can say',
  'devices.*.nic.trace': 'the same',
  'hosts.nic.secondPortOf': 'it is of one host, and not of all',
  'fabric.devices.[].interfaces': 'it is what ports are called in what is printed',
  'ports.[].maps.dscp.*': 'a class that nothing pauses at the host would be lost (test/sonic/maps)',
  'ports.[].maps.dscp': 'the same',
  'switches.buffer.wred.*.green.drop': 'a lossless frame would be lost (test/sonic/maps)',
  'switches.buffer.wred.*.yellow.drop': 'the same',
  'devices.*.buffer.wred.*.green.drop': 'the same',
  'devices.*.buffer.wred.*.yellow.drop': 'the same',
  'switches.buffer.profiles.*.headroom.table': 'it names another file (test/sonic/table)',
  'devices.*.buffer.profiles.*.headroom.table': 'the same',
  'expect.[].load': 'what is expected is looked at when a run is over, and changes nothing',
  'expect.[].flow': 'the same',
  'expect.[].max': 'the same',
  'expect.[].equals': 'the same',
};

const isException = (key: string): boolean =>
  Object.keys(EXCEPTIONS).some((beginning) => key === beginning || key.startsWith(`${beginning} `));

function neverSaid(documents: Iterable<unknown>): string[] {
  const left = new Set(keysOfSchema().filter((key) => !isException(key)));
  for (const document of documents) for (const key of keysOfDocument(document)) left.delete(key);
  return [...left];
}

function* drafts(): Generator {
  for (let world = 0; world < DRAFTS; world++) yield draftWorld(SEED, world, 0);
}

function* worlds(): Generator {
  for (let world = 0; world < WORLDS; world++) yield makeWorld(SEED, world).document;
}

describe('generated worlds', () => {
  it('know every key of the schema, and every word that one may be', () => {
    assert.deepEqual(neverSaid(drafts()), []);
  });

  it('have them when what is refused is taken out', { skip: skipUnlessLong }, () => {
    assert.deepEqual(neverSaid(worlds()), []);
  });

  it('are the same for the same seed, and others for another', () => {
    assert.deepEqual(makeWorld(SEED, 7).document, makeWorld(SEED, 7).document);
    assert.notDeepEqual(makeWorld(SEED, 7).document, makeWorld(SEED + 1, 7).document);
  });
});
