import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { buildFabric } from '../../services/fabric/assembly/fabric.js';
import { scenarioOfText } from '../../services/fabric/scenario/load-scenario.js';
import type { SwitchVerdict } from '../../services/sonic/check.js';
import { checkSwitches } from '../../services/sonic/check.js';
import { asicOf, readSwitches } from '../../services/sonic/read.js';
import { scenarioOf } from '../../services/sonic/scenario.js';
import { fc } from '../kit/properties.js';
import { run } from '../kit/emulate.js';

type Json = Record<string, Record<string, Record<string, unknown>>>;

const PORTS = ['Ethernet0', 'Ethernet4', 'Ethernet8', 'Ethernet12'];
const each = (value: Record<string, unknown>): Record<string, Record<string, unknown>> =>
  Object.fromEntries(PORTS.map((port) => [port, value]));

/** A switch with four ports of 100G over 40 m, and profiles of a table. */
const TABLES: Json = {
  DEVICE_METADATA: { localhost: { hostname: 'leaf1', hwsku: 'none' } },
  PORT: each({ speed: '100000', lanes: '1,2,3,4', admin_status: 'up' }),
  CABLE_LENGTH: { AZURE: Object.fromEntries(PORTS.map((port) => [port, '40m'])) },
  BUFFER_POOL: {
    ingress_lossless_pool: { type: 'ingress', mode: 'dynamic', size: '400000', xoff: '2000000' },
  },
  BUFFER_PROFILE: {},
  PORT_QOS_MAP: each({ pfc_enable: '3,4' }),
};
const INI =
  '# speed cable size xon xoff threshold xon_offset\n100000 40m 1248 2288 160000 0 2288\n';

function inFolder<Result>(
  files: Readonly<Record<string, string>>,
  job: (path: (name: string) => string) => Result,
): Result {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-sonic-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return job((name) => join(folder, name));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** All errors of the files, without their folder. */
function errorsOf(json: string, ini = INI, asic = 'th'): string[] {
  return inFolder({ 'a.json': json, 'p.ini': ini }, (path) => {
    try {
      const input = { files: [path('a.json')], pgProfiles: path('p.ini') };
      checkSwitches(readSwitches(input), asicOf(asic, ''), 'a.json');
      return [];
    } catch (error) {
      const folder = path('/');
      return (error as Error).message.split('\n').map((line) => line.replaceAll(folder, ''));
    }
  });
}

const written = (tables: Json): string => JSON.stringify(tables, null, 1);
const changed = (change: (tables: Json) => void): string => {
  const tables = structuredClone(TABLES);
  change(tables);
  return written(tables);
};

const ASIC = '{ cell: 254, slices: 1, poolSize: net, rounding: down }';

/** The verdict on the switch, and its scenario; `xoff` is the headroom of a profile. */
function checked(xoff: number, shared: number): { verdict: SwitchVerdict; text: string } {
  const json = changed((tables) => {
    tables['BUFFER_POOL']!['ingress_lossless_pool']!['xoff'] = String(shared);
  });
  const ini = `100000 40m 1270 0 ${xoff} 0 2540\n`;
  return inFolder({ 'a.json': json, 'p.ini': ini }, (path) => {
    const switches = readSwitches({ files: [path('a.json')], pgProfiles: path('p.ini') });
    const asic = asicOf(ASIC, '');
    const [verdict] = checkSwitches(switches, asic, 'a.json') as [SwitchVerdict];
    return { verdict, text: scenarioOf(switches, asic).text };
  });
}

/** Frames of one length from three stations to the fourth, of one priority or of both. */
function lossesOf(text: string, frame: number, priorities: readonly number[]): number {
  const loads = priorities.map(
    (priority) =>
      `  - { incast: { from: [h1, h2, h3], to: h4 }, priority: ${priority}, ` +
      `transport: raw, frame: ${frame}, bytes: ${frame < 300 ? '600KB' : '4MB'} }`,
  );
  const whole = `${text}\nload:\n${loads.join('\n')}\n`;
  const results = run(buildFabric(scenarioOfText('worst.yaml', whole)));
  return results.priorities.reduce((sum, { drops }) => {
    return sum + Object.values(drops).reduce((all, frames) => all + frames, 0);
  }, 0);
}

describe('selvage sonic check', () => {
  it('refuses pools above the chip, and reserves above a pool: all of them, where they stand', () => {
    const json = changed((tables) => {
      tables['BUFFER_POOL']!['ingress_lossless_pool']!['size'] = '3000';
    });
    const asic = '{ cell: 254, poolSize: gross, memory: 7800 }';
    const [first, ...others] = errorsOf(json, INI, asic);
    const above =
      /^a\.json:\d+: BUFFER_POOL ingress_lossless_pool: above the chip: .* are 7887 cells/;
    assert.match(first!, above);
    assert.match(
      others[0]!,
      /^a\.json:\d+: BUFFER_POOL ingress_lossless_pool: too small: the pool/,
    );
    assert.equal(others.length, 1);
  });

  it('completes profiles from the table, and says how far the headroom goes', () => {
    const { verdict } = checked(240_000, 2_000_000);
    assert.equal(verdict.verdict, 'lossless');
    assert.equal(verdict.groups.length, 8);
    const [group] = verdict.groups;
    assert.equal(group!.profile, 'pg_lossless_100000_40m_profile');
    assert.equal(group!.headroomOctets, Math.floor(240_000 / 254) * 254);
    assert.ok(group!.marginMetres > 0);
    assert.equal(group!.groupsAtOnce, 8);
    // A cable that takes the whole margin is still enough, one that is longer is not.
    const needed = group!.neededOctets;
    assert.equal(checked(needed + 254, 2_000_000).verdict.verdict, 'lossless');
    assert.equal(checked(needed - 254, 2_000_000).verdict.verdict, 'not lossless');
  });

  it('says how many groups may pause at once', () => {
    const { verdict } = checked(240_000, 800_000);
    assert.equal(verdict.verdict, 'oversubscribed');
    assert.equal(verdict.groups[0]!.groupsAtOnce, 3);
    assert.equal(checked(240_000, 100_000).verdict.verdict, 'not lossless');
  });

  it('that says lossless is right, whatever frames come', () => {
    const { text, verdict } = checked(240_000, 2_000_000);
    assert.equal(verdict.verdict, 'lossless');
    const lengths = fc.oneof(
      fc.constantFrom(64, 255, 509, 1518, 9118),
      fc.integer({ min: 64, max: 9118 }),
    );
    const priorities = fc.constantFrom([3], [4], [3, 4]);
    fc.assert(
      fc.property(lengths, priorities, (frame, own) => {
        assert.equal(lossesOf(text, frame, own), 0);
      }),
      { numRuns: 12 },
    );
  });

  it('that says not lossless is right: there are frames that are lost', () => {
    const { text, verdict } = checked(40_000, 2_000_000);
    assert.equal(verdict.verdict, 'not lossless');
    assert.ok([64, 255, 9118].some((frame) => lossesOf(text, frame, [3, 4]) > 0));
  });

  it('finds a queue that discards before its senders are paused', () => {
    const withQueue = (profile: Record<string, string>): SwitchVerdict => {
      const json = changed((tables) => {
        tables['BUFFER_POOL']!['egress_lossless_pool'] = { type: 'egress', size: '9000000' };
        tables['BUFFER_PROFILE']!['queue'] = {
          pool: 'egress_lossless_pool',
          size: '0',
          ...profile,
        };
        tables['BUFFER_QUEUE'] = { [`${PORTS.join(',')}|3-4`]: { profile: 'queue' } };
      });
      return inFolder({ 'a.json': json, 'p.ini': INI.replace('160000', '240000') }, (path) => {
        const input = { files: [path('a.json')], pgProfiles: path('p.ini') };
        return checkSwitches(readSwitches(input), asicOf(ASIC, ''), 'a.json')[0]!;
      });
    };
    // No limit at all, and one above what ingress can hold; then a quarter of the pool of egress.
    assert.equal(withQueue({ static_th: '9000000' }).verdict, 'lossless');
    assert.equal(withQueue({ dynamic_th: '3' }).verdict, 'lossless');
    const limited = withQueue({ dynamic_th: '-2' });
    assert.equal(limited.verdict, 'not lossless');
    assert.match(
      limited.groups[0]!.problems[0]!,
      /^its queue 3 discards beyond \d+ bytes \(queue\)/,
    );
  });

  it('warns of ECN above XOFF', () => {
    const json = changed((tables) => {
      tables['WRED_PROFILE'] = { wred: { ecn: 'ecn_all', green_min_threshold: '500000' } };
      tables['QUEUE'] = { 'Ethernet0|3': { wred_profile: 'wred' } };
    });
    const warnings = inFolder({ 'a.json': json, 'p.ini': INI }, (path) => {
      const input = { files: [path('a.json')], pgProfiles: path('p.ini') };
      return checkSwitches(readSwitches(input), asicOf('th', ''), 'a.json')[0]!.warnings;
    });
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!, /^ECN marks from 500000 bytes, above XOFF: Ethernet0 queue 3/);
  });
});

/** Two switches that their files join by their last ports. */
function joined(change: (tables: Json) => void = () => undefined): {
  readonly text: string;
  readonly verdicts: readonly SwitchVerdict[];
} {
  const of = (name: string, peer: string, edit: (tables: Json) => void): string =>
    changed((tables) => {
      tables['DEVICE_METADATA']!['localhost']!['hostname'] = name;
      tables['DEVICE_NEIGHBOR'] = Object.fromEntries(
        PORTS.map((port, i) => [
          port,
          i === 3
            ? { name: peer, port: 'Ethernet12' }
            : { name: `${name}-server${i}`, port: 'eth0' },
        ]),
      );
      edit(tables);
    });
  const files = {
    'a.json': of('leaf1', 'spine.1', () => undefined),
    'b.json': of('spine.1', 'leaf1', change),
    'p.ini': INI,
  };
  return inFolder(files, (path) => {
    const input = { files: [path('a.json'), path('b.json')], pgProfiles: path('p.ini') };
    const switches = readSwitches(input);
    const asic = asicOf('th', '');
    return {
      text: scenarioOf(switches, asic).text,
      verdicts: checkSwitches(switches, asic, 'a.json'),
    };
  });
}

describe('files of several switches', () => {
  it('are one fabric, joined as they say', () => {
    const { text } = joined();
    const fabric = buildFabric(scenarioOfText('both.yaml', text));
    const { devices, links } = fabric.topology;
    assert.deepEqual(devices.map(({ name }) => name).sort(), [
      'h1',
      'h2',
      'h3',
      'h4',
      'h5',
      'h6',
      'leaf1',
      'spine-1',
    ]);
    assert.equal(links.length, 7);
    const isSwitch = (device: number): boolean => devices[device]!.kind === 'switch';
    const between = links.filter(({ a, b }) => isSwitch(a.device) && isSwitch(b.device));
    assert.deepEqual(
      between.map(({ a, b }) => [a.port, b.port]),
      [[3, 3]],
    );
  });

  it('that pause other priorities at the ends of a link are not lossless', () => {
    const { verdicts } = joined((tables) => {
      tables['PORT_QOS_MAP']!['Ethernet12'] = { pfc_enable: '3' };
    });
    assert.deepEqual(
      verdicts.map(({ verdict }) => verdict),
      ['not lossless', 'not lossless'],
    );
    assert.deepEqual(verdicts[0]!.problems, [
      'Ethernet12: pfc_enable is 3,4, at spine.1 Ethernet12 3',
    ]);
  });

  it('may not have one name', () => {
    const files = { 'a.json': written(TABLES), 'b.json': written(TABLES), 'p.ini': INI };
    inFolder(files, (path) => {
      const input = { files: [path('a.json'), path('b.json')], pgProfiles: path('p.ini') };
      assert.throws(() => readSwitches(input), /hostname: leaf1 is the switch of .*a\.json, too/);
    });
  });
});

describe('files of a switch', () => {
  it('are refused with every error at once, where it stands', () => {
    const json = changed((tables) => {
      tables['CABLE_LENGTH']!['AZURE']!['Ethernet4'] = '41m';
      tables['BUFFER_PROFILE']!['a'] = { pool: 'other', size: '0' };
      tables['BUFFER_PROFILE']!['b'] = { pool: 'ingress_lossless_pool', dynamic_th: '9' };
      tables['BUFFER_PROFILE']!['c'] = { pool: 'ingress_lossless_pool', size: 'x' };
      tables['BUFFER_PG'] = { 'Ethernet8|3-9': { profile: 'c' }, 'Ethernet7|3': { profile: 'no' } };
    });
    const lines = json.split('\n');
    const lineOf = (text: string): number => lines.findIndex((line) => line.includes(text)) + 1;
    const errors = errorsOf(json);
    const expected = [
      `a.json:${lineOf('"a": {')}: BUFFER_PROFILE a: no pool "other" in BUFFER_POOL: ingress_lossless_pool`,
      `a.json:${lineOf('"dynamic_th": "9"')}: BUFFER_PROFILE b dynamic_th: 9 is outside -8 to 7: alpha is 2 to this power`,
      `a.json:${lineOf('"size": "x"')}: BUFFER_PROFILE c size: "x" is not a whole number`,
      `a.json:${lineOf('"Ethernet8|3-9"')}: BUFFER_PG Ethernet8|3-9: its key ends in no group or queue, such as |3-4`,
      `a.json:${lineOf('"Ethernet7|3"')}: BUFFER_PG Ethernet7|3: no profile "no" in BUFFER_PROFILE`,
      `a.json:${lineOf('"Ethernet4": {')}: PORT Ethernet4: no line for 100000 41m in p.ini; the lossless groups of Ethernet4 would have no headroom`,
      `a.json:${lineOf('"Ethernet7|3"')}: BUFFER_PG Ethernet7|3: no port Ethernet7 in PORT`,
    ];
    assert.deepEqual(errors, expected);
  });

  it('name numbers and thresholds that cannot be, and nothing that only refers to them', () => {
    const json = changed((tables) => {
      tables['BUFFER_POOL']!['fixed'] = { type: 'egress', mode: 'static', size: '9000' };
      tables['BUFFER_POOL']!['broken'] = { type: 'ingress', mode: 'dynamic', size: '-1' };
      tables['BUFFER_PROFILE'] = {
        above: { pool: 'ingress_lossless_pool', dynamic_th: '-3', xon_offset: '50000' },
        both: { pool: 'fixed', dynamic_th: '0', static_th: '1' },
        huge: { pool: 'ingress_lossless_pool', xoff: '99999999999999999999' },
        of_broken: { pool: 'broken', dynamic_th: '0' },
      };
      tables['BUFFER_PG'] = { 'Ethernet0|3-4': { profile: 'of_broken' } };
      tables['CABLE_LENGTH']!['AZURE']!['Ethernet8'] = '40';
      tables['WRED_PROFILE'] = {
        w: { green_min_threshold: '2', green_max_threshold: '1', ecn: 'ecn_green' },
        x: { ecn: 'some', weight: '16' },
      };
      tables['QUEUE'] = { 'Ethernet0|3': { wred_profile: 'y' } };
    });
    const errors = errorsOf(json).map((line) => line.replace(/^a\.json:\d+: /, ''));
    assert.deepEqual(errors, [
      'BUFFER_POOL broken size: -1 is below 0',
      'BUFFER_PROFILE above xon_offset: 50000 is above the limit of 44444: XON would never be sent',
      'BUFFER_PROFILE both dynamic_th: fixed is static: its profiles have static_th',
      'BUFFER_PROFILE both static_th: beside dynamic_th: a profile has one of them',
      'BUFFER_PROFILE huge xoff: "99999999999999999999" is too large a number',
      'CABLE_LENGTH AZURE Ethernet8: "40" is not a length such as 300m',
      'PORT Ethernet8: no line for 100000 40 in p.ini; the lossless groups of Ethernet8 would have no headroom',
      'WRED_PROFILE w green_max_threshold: 1 is below green_min_threshold, 2',
      'WRED_PROFILE x ecn: "some" is none of ecn_none, ecn_all, ecn_green, …',
      'WRED_PROFILE x weight: 16 is above 15',
      'QUEUE Ethernet0|3 wred_profile: no profile "y" in WRED_PROFILE',
    ]);
  });

  it('have the chip that their hwsku says, if nobody says another', () => {
    assert.equal(asicOf(undefined, 'Arista-7060X6-64PE-256x200G').written, 'th5');
    assert.equal(asicOf(undefined, 'ACS-MSN2700').written, 'spc1');
    assert.equal(asicOf('th', 'ACS-MSN2700').written, 'th');
  });

  it('may be a dump with flat keys', () => {
    const flat = Object.fromEntries(
      Object.entries(TABLES).flatMap(([table, entries]) =>
        Object.entries(entries).map(([key, value]) => [`${table}|${key}`, { type: 'hash', value }]),
      ),
    );
    assert.deepEqual(errorsOf(JSON.stringify(flat)), []);
  });

  it('are told apart when cut, or doubled', () => {
    assert.deepEqual(errorsOf('{ "PORT": {\n "Ethernet0": { "speed"'), [
      'a.json:2: ":" is missing behind "speed"',
    ]);
    assert.match(errorsOf('{ "PORT": {}, "PORT": {} }')[0]!, /^a\.json:1: PORT: given twice/);
    assert.deepEqual(
      errorsOf(written(TABLES), '100000 40m 1 2 3\n')[0],
      'p.ini:1: 100000 40m: 5 columns; expected speed cable size xon xoff threshold xon_offset, the last optional',
    );
    assert.match(errorsOf('[]')[0]!, /^a\.json:1: no ports/);
    assert.match(errorsOf('3')[0]!, /^a\.json:1: no tables/);
  });

  it('have a pool that does not fit refused at its own line', () => {
    const json = changed((tables) => {
      tables['BUFFER_POOL']!['ingress_lossless_pool']!['size'] = '20000';
    });
    const [error] = inFolder({ 'a.json': json, 'p.ini': INI }, (path) => {
      try {
        const input = { files: [path('a.json')], pgProfiles: path('p.ini') };
        checkSwitches(readSwitches(input), asicOf('th5', ''), 'a.json');
        return [''];
      } catch (thrown) {
        return [(thrown as Error).message];
      }
    });
    assert.match(error, /a\.json:\d+: BUFFER_POOL ingress_lossless_pool: too small/);
  });

  it('need a chip that is known, or its numbers', () => {
    assert.throws(() => asicOf(undefined, 'Some-SKU'), /hwsku "Some-SKU" does not say; --asic td2/);
    assert.throws(() => asicOf('th9', ''), /unknown ASIC: th9/);
    assert.throws(() => asicOf('{ cells: 3 }', ''), /--asic: .*unknown key: cells/);
    assert.equal(asicOf('{ cell: 80 }', '').accounting.cellBytes, 80);
  });

  it('that are anything else are an error, and no fault', () => {
    const text = written(TABLES);
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(20), fc.string({ maxLength: 4 }), (at, gone, put) => {
        errorsOf(text.slice(0, at) + put + text.slice(at + gone)).forEach((line) => {
          assert.match(line, /^(a\.json|p\.ini):\d+: |^a\.json: /);
        });
      }),
      { numRuns: 200 },
    );
  });
});
