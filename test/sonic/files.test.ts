/** Files of one switch in all their forms. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { SonicSwitch } from '../../services/sonic/configuration.js';
import { asicOf, readSwitches } from '../../services/sonic/read.js';
import { scenarioOf } from '../../services/sonic/scenario.js';
import { fc } from '../kit/properties.js';

type Files = Readonly<Record<string, string>>;

/** Switches of files in this order; the errors of all of them, without their folder. */
function read(files: Files): {
  readonly switches: readonly SonicSwitch[];
  readonly errors: string[];
} {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-files-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const names = Object.keys(files).filter((name) => name !== 'pg.ini');
    const input = { files: names.map((name) => join(folder, name)) };
    const pgProfiles = 'pg.ini' in files ? { pgProfiles: join(folder, 'pg.ini') } : {};
    return { switches: readSwitches({ ...input, ...pgProfiles }), errors: [] };
  } catch (error) {
    const lines = (error as Error).message.split('\n');
    return { switches: [], errors: lines.map((line) => line.replaceAll(`${folder}/`, '')) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const json = (value: unknown): string => JSON.stringify(value, null, 1);
const PORTS = 'Ethernet0,Ethernet4';
const BUFFERS = {
  BUFFER_POOL: {
    ingress_lossless_pool: { type: 'ingress', mode: 'dynamic', size: '400000', xoff: '2000000' },
  },
  BUFFER_PROFILE: {},
};
const QOS = {
  PORT_QOS_MAP: {
    [PORTS]: {
      ...{ pfc_enable: '3,4', dscp_to_tc_map: '[DSCP_TO_TC_MAP|AZURE]', tc_to_pg_map: 'AZURE' },
      tc_to_queue_map: 'AZURE',
    },
  },
  DSCP_TO_TC_MAP: { AZURE: { '3': '3', '4': '4', '30': '3' } },
  TC_TO_PRIORITY_GROUP_MAP: { AZURE: { '3': '3', '4': '4' } },
  TC_TO_QUEUE_MAP: { AZURE: { '0': '1' } },
};
const DEVICE = {
  DEVICE_METADATA: { localhost: { hostname: 'leaf1', hwsku: 'none', type: 'ToRRouter' } },
  PORT: {
    Ethernet0: { speed: '100000', lanes: '1,2', alias: 'hundredGigE1/1', admin_status: 'up' },
    Ethernet4: { speed: '100000', lanes: '3,4', alias: 'hundredGigE1/2', admin_status: 'up' },
  },
  CABLE_LENGTH: { AZURE: { Ethernet0: '5m', Ethernet4: '40m' } },
};
const PROFILES = '100000 5m 1248 2288 160000 0 2288\n100000 40m 1248 2288 170000 0 2288\n';
const PORT_CONFIG =
  '# name lanes alias speed\nEthernet0 1,2 hundredGigE1/1 100000\nEthernet4 3,4 hundredGigE1/2 100000\n';

const minigraph = (links: string): string => `<?xml version="1.0"?>
<DeviceMiniGraph xmlns="Microsoft.Search.Autopilot.Evolution" xmlns:i="x">
  <PngDec>
    <DeviceInterfaceLinks>
${links}
    </DeviceInterfaceLinks>
    <Devices>
      <Device><Hostname>leaf1</Hostname><ElementType>ToRRouter</ElementType></Device>
      <Device><Hostname>spine1</Hostname><ElementType>LeafRouter</ElementType></Device>
      <Device><Hostname>server1</Hostname><ElementType>Server</ElementType></Device>
    </Devices>
  </PngDec>
  <Hostname>leaf1</Hostname>
  <HwSku>Some-SKU</HwSku>
</DeviceMiniGraph>
`;
const link = (port: string, other: string, there: string): string =>
  `<DeviceLinkBase><StartDevice>leaf1</StartDevice><StartPort>${port}</StartPort>` +
  `<EndDevice>${other}</EndDevice><EndPort>${there}</EndPort>` +
  '<Bandwidth>100000</Bandwidth></DeviceLinkBase>';
const LINKS = [
  link('hundredGigE1/1', 'server1', 'eth0'),
  link('hundredGigE1/2', 'spine1', 'Ethernet9/1'),
].join('\n');

describe('files of one switch', () => {
  it('are one switch, whatever part each has', () => {
    const whole = read({ 'a.json': json({ ...DEVICE, ...BUFFERS, ...QOS }), 'pg.ini': PROFILES });
    const parts = read({
      'buffers.json': json(BUFFERS),
      'config_db.json': json(DEVICE),
      'qos.json': json(QOS),
      'pg.ini': PROFILES,
    });
    assert.deepEqual([whole.errors, parts.errors], [[], []]);
    assert.equal(parts.switches.length, 1);
    const textOf = (own: readonly SonicSwitch[]): string =>
      scenarioOf(own, asicOf('th', '')).text.replace(/ # .*/g, '');
    assert.equal(textOf(parts.switches), textOf(whole.switches));
  });

  it('may be what swssconfig takes, or a dump of APPL_DB', () => {
    const operations = json([
      {
        'BUFFER_POOL_TABLE:ingress_lossless_pool': BUFFERS.BUFFER_POOL.ingress_lossless_pool,
        OP: 'SET',
      },
      {
        'BUFFER_PROFILE_TABLE:small': { pool: 'ingress_lossless_pool', size: '1', xoff: '2' },
        OP: 'SET',
      },
      { 'BUFFER_PG_TABLE:Ethernet0:3-4': { profile: 'small' }, OP: 'SET' },
    ]);
    const files = {
      'a.json': json({ ...DEVICE, ...QOS }),
      'b.json': operations,
      'pg.ini': PROFILES,
    };
    const { switches, errors } = read(files);
    assert.deepEqual(errors, []);
    const [first, second] = switches[0]!.ports;
    assert.equal(first!.groups.get(3)!.name, 'small');
    assert.equal(second!.groups.get(3)!.name, 'pg_lossless_100000_40m_profile');
    const wrong = operations.replace('"OP": "SET"', '"OP": "DEL"');
    assert.match(
      read({ ...files, 'b.json': wrong }).errors[0]!,
      /^b\.json:\d+: OP is "DEL", not "SET"/,
    );
  });

  it('may not say two things', () => {
    const other = structuredClone(BUFFERS);
    other.BUFFER_POOL.ingress_lossless_pool.size = '500000';
    const { errors } = read({
      'a.json': json({ ...DEVICE, ...BUFFERS, ...QOS }),
      'b.json': json(other),
      'pg.ini': PROFILES,
    });
    assert.match(
      errors[0]!,
      /^b\.json:\d+: BUFFER_POOL ingress_lossless_pool size: 500000 here, and 400000 in a\.json:\d+/,
    );
  });
});

describe('a minigraph', () => {
  const files = (graph: string): Files => ({
    'minigraph.xml': graph,
    'port_config.ini': PORT_CONFIG,
    'qos.json': json({ ...QOS, ...BUFFERS }),
    'pg.ini': PROFILES,
  });

  it('says what ports are joined to, and by the roles of both ends how', () => {
    const { switches, errors } = read(files(minigraph(LINKS)));
    assert.deepEqual(errors, []);
    const [own] = switches;
    assert.deepEqual([own!.name, own!.hwsku], ['leaf1', 'Some-SKU']);
    assert.deepEqual(
      own!.ports.map(({ name, cable, neighbor, speedMbps }) => [
        ...[name, cable, neighbor!.name, speedMbps],
      ]),
      [
        ['Ethernet0', '5m', 'server1', 100_000],
        ['Ethernet4', '40m', 'spine1', 100_000],
      ],
    );
    const { remarks } = scenarioOf(switches, asicOf('th', ''));
    assert.ok(remarks.some(({ what }) => what.includes('Ethernet4: a cable of 40m, by the roles')));
  });

  it('needs what its ports are called', () => {
    const { 'port_config.ini': _, ...rest } = files(minigraph(LINKS));
    const { errors } = read(rest);
    assert.match(
      errors[0]!,
      /^minigraph\.xml:\d+: PORT hundredGigE1\/1: no port has this alias: give the port_config\.ini/,
    );
  });

  it('that is cut, or none, is an error with its line', () => {
    const text = minigraph(LINKS);
    assert.match(read(files(text.slice(0, 600))).errors[0]!, /^minigraph\.xml:\d+: no XML: /);
    assert.match(read(files('<a/>')).errors[0]!, /^minigraph\.xml:1: <a> is no minigraph/);
    assert.match(
      read(files(text.replaceAll(/<Hostname>leaf1<\/Hostname>/g, ''))).errors[0]!,
      /no <Hostname> of the device/,
    );
  });

  it('with anything in it is an error, and no fault', () => {
    const text = minigraph(LINKS);
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(20), fc.string({ maxLength: 4 }), (at, gone, put) => {
        const { errors } = read(files(text.slice(0, at) + put + text.slice(at + gone)));
        for (const line of errors) assert.match(line, /^[a-z_]+\.(xml|json|ini):\d+: /);
      }),
      { numRuns: 100 },
    );
  });
});

describe('maps of classes', () => {
  it('are those that a port names', () => {
    const { switches } = read({
      'a.json': json({ ...DEVICE, ...BUFFERS, ...QOS }),
      'pg.ini': PROFILES,
    });
    const [port] = switches[0]!.ports;
    assert.equal(port!.classOfDscp![30], 3);
    assert.equal(port!.queueOfClass[0], 1);
    assert.match(scenarioOf(switches, asicOf('th', '')).text, /queues: \[1, 1, 2, 3, 4, 5, 6, 7\]/);
  });

  it('that are wrong are refused where they stand', () => {
    const wrong = structuredClone(QOS) as Record<string, Record<string, Record<string, string>>>;
    wrong['DSCP_TO_TC_MAP']!['AZURE']!['64'] = '1';
    wrong['TC_TO_QUEUE_MAP']!['AZURE']!['1'] = '9';
    wrong['PORT_QOS_MAP']![PORTS]!['tc_to_pg_map'] = 'OTHER';
    const { errors } = read({
      'a.json': json({ ...DEVICE, ...BUFFERS, ...wrong }),
      'pg.ini': PROFILES,
    });
    const messages = errors.map((line) => line.replace(/^a\.json:\d+: /, ''));
    assert.deepEqual(messages, [
      'DSCP_TO_TC_MAP AZURE 64: 64 is outside 0 to 63',
      `PORT_QOS_MAP ${PORTS} tc_to_pg_map: no map "OTHER" in TC_TO_PRIORITY_GROUP_MAP`,
      'TC_TO_QUEUE_MAP AZURE 1: "9" is outside 0 to 7',
    ]);
  });
});

describe('watchdogs of PFC_WD', () => {
  const withWatchdog = (entries: object): Files => ({
    'a.json': json({
      ...{ ...DEVICE, ...BUFFERS, ...QOS, PFC_WD: entries },
      PORT_QOS_MAP: { [PORTS]: { pfc_enable: '3,4', pfcwd_sw_enable: '3' } },
    }),
    'pg.ini': PROFILES,
  });
  const own = { action: 'forward', detection_time: '200', restoration_time: '400' };

  it('poll, as the switch does', () => {
    const files = withWatchdog({ Ethernet0: own, GLOBAL: { POLL_INTERVAL: '200' } });
    const { text } = scenarioOf(read(files).switches, asicOf('th', ''));
    assert.match(
      text,
      /port: 'leaf1:p1' }, priorities: { 3: { watchdog: { poll: 200ms, detection: 200ms, restoration: 400ms, action: forward, chip: broadcom } } } }/,
    );
    assert.doesNotMatch(text, /port: 'leaf1:p2'/);
  });

  it('all act under the big red switch, and by hand only where no time restores', () => {
    const forced = withWatchdog({ GLOBAL: { BIG_RED_SWITCH: 'enable' } });
    const { text } = scenarioOf(read(forced).switches, asicOf('th', ''));
    assert.equal(text.match(/watchdog: { bigRedSwitch: true }/g)?.length, 2);
    const { restoration_time: _, ...byHand } = own;
    const never = withWatchdog({ Ethernet0: byHand });
    assert.match(
      scenarioOf(read(never).switches, asicOf('spc3', '')).text,
      /poll: 100ms, detection: 200ms, restoration: never, action: forward, chip: mellanox/,
    );
  });

  it('that no switch takes are refused', () => {
    const { errors } = read(
      withWatchdog({
        Ethernet0: { ...own, detection_time: '20' },
        Ethernet4: { ...own, action: 'stop' },
        GLOBAL: { POLL_INTERVAL: '300', BIG_RED_SWITCH: 'on' },
      }),
    );
    assert.deepEqual(
      errors.map((line) => line.replace(/^a\.json:\d+: /, '')),
      [
        'PFC_WD Ethernet0 detection_time: 20 ms is outside 100 to 5000 ms: orchagent refuses it',
        'PFC_WD Ethernet4 action: "stop" is none of drop, forward, alert',
        'PFC_WD Ethernet4: POLL_INTERVAL of 300 ms is longer than its times',
        'PFC_WD GLOBAL BIG_RED_SWITCH: "on" is neither enable nor disable',
      ],
    );
  });
});
