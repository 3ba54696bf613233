import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ProfileName } from '../../../services/mechanisms/llr/profiles.js';
import { PROFILES } from '../../../services/mechanisms/llr/profiles.js';
import { fabricOf, ROOT } from '../../kit/emulate.js';

function warnings(profile: string, rate: string, length: string, more = ''): string[] {
  const text = `
fabric: { generator: pair, link: { rate: ${rate}, length: ${length} } }
llr: { enabled: true, profile: ${profile}${more} }
duration: 10us
load: [{ name: a, stream: { from: h1, to: h2 }, frame: 4178, rate: line }]`;
  return fabricOf(text).warnings.map(({ message }) => message);
}

/** By rate and cable, as published: frames, octets, three times in ns; then 3 replays, 2,048 octets. */
const PUBLISHED = {
  '200g-5m': [61, 31_184, 5_000, 50_000, 20_000],
  '200g-40m': [71, 35_952, 5_500, 55_000, 24_000],
  '400g-5m': [115, 58_768, 5_000, 50_000, 20_000],
  '400g-40m': [133, 67_760, 5_500, 55_000, 24_000],
};

describe('profiles of link-level retry', () => {
  it('are those that are published', () => {
    const own = Object.entries(PROFILES).map(([name, profile]) => {
      assert.deepEqual([profile.replays, profile.spacingOctets], [3, 2048], name);
      const times = [profile.replayTimerPs, profile.pcsLostPs, profile.dataAgePs];
      return [name, [profile.frames, profile.octets, ...times.map((ps) => ps / 1000)]];
    });
    assert.deepEqual(Object.fromEntries(own), PUBLISHED);
  });

  it('are those of the README', () => {
    const readme = readFileSync(join(ROOT, 'services/mechanisms/llr/README.md'), 'utf8');
    for (const name of Object.keys(PROFILES) as ProfileName[]) {
      const { frames, octets, replayTimerPs, pcsLostPs, dataAgePs } = PROFILES[name];
      const times = [replayTimerPs, pcsLostPs, dataAgePs].map((ps) => `${ps / 1e6} us`);
      const cells = [`\`${name}\``, String(frames), octets.toLocaleString('en'), ...times];
      const row = cells.map((cell) => `\\| ${cell} +`).join('');
      assert.match(readme, new RegExp(row));
    }
  });

  it('fit the rate and length of their name', () => {
    for (const name of Object.keys(PROFILES)) {
      const [rate, length] = name.split('-') as [string, string];
      assert.deepEqual(warnings(name, rate.toUpperCase(), length), [], name);
    }
  });

  it('that do not fit are named as the reason', () => {
    const [far] = warnings('400g-40m', '400G', '300m');
    assert.match(far!, /67760 bytes outstanding keep the link at about 43 % .*; llr.profile: auto/);
    const [slow, timer] = warnings('200g-5m', '1G', '5m');
    assert.match(slow!, /given up before .*: llr.profile: auto, or dataAgeTimeout$/);
    assert.match(timer!, /expires before .*: llr.profile: auto, or replayTimer$/);
    const [own] = warnings('auto', '400G', '300m', ', bytes: 20KB');
    assert.match(own!, /; raise bytes, or leave it at auto$/);
  });

  it('of no rate: auto takes any, as far as its replay timer has room in registers', () => {
    for (const rate of ['10G', '25G', '40G', '50G', '100G', '800G', '1.6T']) {
      for (const length of ['1m', '17m', '2km']) {
        assert.deepEqual(warnings('auto', rate, length), [], `${rate} ${length}`);
      }
    }
    assert.match(warnings('auto', '1G', '5m')[0]!, /more than the 65.535 us that registers hold/);
  });
});
