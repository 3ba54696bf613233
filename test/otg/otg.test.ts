import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { configFrom } from '../../services/otg/config.js';
import { ROOT } from '../kit/emulate.js';
import { fc } from '../kit/properties.js';
import { PYTHON_FOLDER, skipWithout } from '../kit/python.js';

const MAIN = join(ROOT, 'dist/programs/selvage.js');
const EXAMPLE = join(ROOT, 'examples/sonic');

type Row = Readonly<Record<string, unknown>>;

/** A port of the tester for each of these places. */
const PORTS = {
  ports: [
    { name: 'a', location: 'Ethernet0' },
    { name: 'b', location: 'leaf1/Ethernet8' },
    { name: 'c', location: 'leaf1:p3' },
  ],
  layer1: [
    {
      ...{ name: 'all', port_names: ['a', 'b', 'c'] },
      flow_control: {
        choice: 'ieee_802_1qbb',
        ieee_802_1qbb: { pfc_class_3: 3, pfc_class_4: 4 },
      },
    },
  ],
};

const flow = (name: string, tx: string, rx: string, more: object = {}): object => ({
  name,
  tx_rx: { choice: 'port', port: { tx_name: tx, rx_name: rx } },
  packet: [
    { choice: 'ethernet', ethernet: {} },
    {
      choice: 'ipv4',
      ipv4: { priority: { choice: 'dscp', dscp: { phb: { choice: 'value', value: 3 } } } },
    },
  ],
  size: { choice: 'fixed', fixed: 1000 },
  rate: { choice: 'percentage', percentage: 10 },
  duration: { choice: 'fixed_packets', fixed_packets: { packets: 100 } },
  ...more,
});

it('a configuration of any kind has errors, and no fault', () => {
  const keys = ['ports', 'flows', 'packet', 'choice', 'size', 'rate', 'layer1', 'devices', 'name'];
  const key = fc.oneof(fc.constantFrom(...keys), fc.string({ maxLength: 3 }));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('port', 'pfcpause', 'ipv4', null, true, -1, 1e99),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(value, (body) => {
      for (const error of configFrom(body).errors) assert.match(error, /: /);
    }),
    { numRuns: 500 },
  );
});

describe('selvage otg serve', () => {
  let child: ChildProcess | null = null;
  let url = '';

  before(async () => {
    const words = ['otg', 'serve', join(EXAMPLE, 'config_db.json'), '--asic', 'th5', '--port', '0'];
    const profiles = ['--pg-profiles', join(EXAMPLE, 'pg_profile_lookup.ini')];
    child = spawn(process.execPath, [MAIN, ...words, ...profiles], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: child.stdout! })) {
      url = line;
      break;
    }
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  });
  after(() => {
    child?.kill();
  });

  const call = async (method: string, path: string, body?: unknown): Promise<[number, unknown]> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${url}${path}`, { method, ...sent });
    return [response.status, await response.json()];
  };
  const transmit = (state: string): Promise<[number, unknown]> =>
    call('POST', '/control/state', {
      choice: 'traffic',
      traffic: { choice: 'flow_transmit', flow_transmit: { state } },
    });
  const metrics = async (kind: 'flow' | 'port'): Promise<Row[]> => {
    const [status, answer] = await call('POST', '/monitor/metrics', { choice: kind, [kind]: {} });
    assert.equal(status, 200);
    return (answer as Readonly<Record<string, Row[]>>)[`${kind}_metrics`]!;
  };
  const refusals = async (config: object): Promise<string[]> => {
    const [status, answer] = await call('POST', '/config', config);
    assert.equal(status, 400);
    return (answer as { readonly errors: string[] }).errors;
  };

  it('sends so many frames, and counts them at both ends', async () => {
    const config = { ...PORTS, flows: [flow('one', 'a', 'b')] };
    assert.deepEqual(await call('POST', '/config', config), [200, { warnings: [] }]);
    assert.deepEqual(await call('GET', '/config'), [200, config]);
    const [before] = await metrics('flow');
    assert.deepEqual([before!['transmit'], before!['frames_tx']], ['stopped', 0]);
    await transmit('start');
    const [row] = await metrics('flow');
    assert.deepEqual(
      [row!['transmit'], row!['frames_tx'], row!['frames_rx'], row!['loss']],
      ['stopped', 100, 100, 0],
    );
    const ports = await metrics('port');
    assert.deepEqual(
      ports.map((port) => [port['name'], port['frames_tx'], port['frames_rx']]),
      [
        ['a', 100, 0],
        ['b', 0, 100],
        ['c', 0, 0],
      ],
    );
  });

  it('lets a flow without an end go on while somebody looks, until it is stopped', async () => {
    const endless = { duration: { choice: 'continuous' }, rate: { choice: 'pps', pps: 1e6 } };
    await call('POST', '/config', { ...PORTS, flows: [flow('endless', 'a', 'b', endless)] });
    await transmit('start');
    const [first] = await metrics('flow');
    const [second] = await metrics('flow');
    assert.equal(first!['transmit'], 'started');
    assert.equal(Number(second!['frames_tx']) - Number(first!['frames_tx']), 1000);
    await transmit('stop');
    const [third] = await metrics('flow');
    assert.deepEqual([third!['transmit'], third!['frames_tx']], ['stopped', second!['frames_tx']]);
    assert.equal(third!['frames_rx'], third!['frames_tx']);
    // Started again, it counts on.
    await transmit('start');
    const [fourth] = await metrics('flow');
    assert.ok(Number(fourth!['frames_tx']) > Number(third!['frames_tx']));
    await transmit('stop');
  });

  it('answers the same to the same script', async () => {
    const script = async (): Promise<Row[]> => {
      await call('POST', '/config', {
        ...PORTS,
        flows: [flow('x', 'a', 'c'), flow('y', 'b', 'c')],
      });
      await transmit('start');
      return metrics('flow');
    };
    assert.deepEqual(await script(), await script());
  });

  it('refuses by name what it does not emulate, all at once', async () => {
    const config = {
      ...PORTS,
      lags: [{ name: 'lag' }],
      flows: [
        flow('x', 'a', 'z', { size: { choice: 'random', random: {} } }),
        flow('x', 'a', 'b', { latency_bins: 3, packet: [{ choice: 'gre', gre: {} }] }),
      ],
    };
    assert.deepEqual(await refusals(config), [
      'flows[0].tx_rx.port.rx_names: no port "z"',
      'flows[0].size.choice: random is not supported: fixed',
      'flows[1].packet[0].choice: gre is not supported: ethernet, vlan, ipv4, udp',
      'flows[1].latency_bins: is not supported',
      'flows: two flows are called "x"',
      'lags: is not supported',
    ]);
    const far = { ports: [{ name: 'a', location: 'Ethernet9' }] };
    assert.match(
      (await refusals(far))[0]!,
      /^ports\[0\]\.location: no host at Ethernet9; there are h1/,
    );
    const slow = { ...PORTS, layer1: [{ name: 's', port_names: ['a'], speed: 'speed_100_gbps' }] };
    assert.match((await refusals(slow))[0]!, /^layer1\.speed: 100G at a, whose link has 200G/);
    for (const [path, what] of [
      ['/monitor/other', 'POST /monitor/other is not supported'],
      ['/nothing', 'POST /nothing is not supported'],
    ] as const) {
      const [status, answer] = await call('POST', path, {});
      assert.equal(status, 404);
      assert.ok((answer as { readonly errors: string[] }).errors[0]!.startsWith(what));
    }
    const cut = await fetch(`${url}/config`, { method: 'POST', body: '{ "ports": [' });
    assert.equal(cut.status, 400);
  });

  /** Time, and length on the wire, of packets in a file of libpcap, and their octets. */
  const packetsOf = (file: Buffer): { ns: number; length: number; octets: Buffer }[] => {
    assert.equal(file.readUInt32LE(0), 0xa1b23c4d);
    const packets = [];
    for (let at = 24; at < file.length; at += 16 + file.readUInt32LE(at + 8)) {
      const octets = file.subarray(at + 16, at + 16 + file.readUInt32LE(at + 8));
      packets.push({ ns: file.readUInt32LE(at + 4), length: file.readUInt32LE(at + 12), octets });
    }
    return packets;
  };
  const capture = async (state: string): Promise<number> => {
    const body = { port_names: ['b'], state };
    const [status] = await call('POST', '/control/state', {
      ...{ choice: 'port', port: { choice: 'capture', capture: body } },
    });
    return status;
  };
  const fileOfB = async (): Promise<Buffer> => {
    const body = JSON.stringify({ port_name: 'b' });
    const response = await fetch(`${url}/monitor/capture`, { method: 'POST', body });
    assert.equal(response.headers.get('content-type'), 'application/octet-stream');
    return Buffer.from(await response.arrayBuffer());
  };

  it('captures what a port sees, while its capture is on', async () => {
    const packets = { choice: 'fixed_packets', fixed_packets: { packets: 5 } };
    const flows = [flow('one', 'a', 'b', { duration: packets })];
    await call('POST', '/config', {
      ...PORTS,
      flows,
      captures: [{ name: 'x', port_names: ['b'] }],
    });
    assert.deepEqual((await call('POST', '/monitor/capture', { port_name: 'b' }))[0], 400);
    assert.equal(await capture('start'), 200);
    await transmit('start');
    assert.equal((await metrics('port'))[1]!['capture'], 'started');
    const seen = packetsOf(await fileOfB());
    // At a tenth of 200 Gb/s, with 20 octets beside each frame; without FCS.
    assert.deepEqual(
      seen.map(({ length }) => length),
      [996, 996, 996, 996, 996],
    );
    assert.equal(seen[1]!.ns - seen[0]!.ns, 408);
    assert.equal(seen[0]!.octets.readUInt16BE(12), 0x0800);
    assert.equal(seen[0]!.octets[15]! >> 2, 3);
    await capture('stop');
    await transmit('start');
    assert.deepEqual(packetsOf(await fileOfB()), seen);
    // A new one begins with nothing, and may be in the newer format.
    await capture('start');
    assert.equal(packetsOf(await fileOfB()).length, 0);
    const newer = [{ name: 'x', port_names: ['b'], format: 'pcapng' }];
    await call('POST', '/config', { ...PORTS, flows, captures: newer });
    await capture('start');
    await transmit('start');
    assert.equal((await fileOfB()).readUInt32LE(0), 0x0a0d0d0a);
  });

  it('refuses captures that no port has, and actions by their names', async () => {
    const wrong = [{ name: 'x', port_names: ['z'], format: 'erf', filters: [{}] }];
    assert.deepEqual(await refusals({ ...PORTS, captures: wrong }), [
      'captures[0].port_names: no port "z"',
      'captures[0].format: erf is not supported: pcap, pcapng',
      'captures[0].filters: is not supported',
    ]);
    await call('POST', '/config', PORTS);
    assert.equal(await capture('start'), 400);
    const ping = { choice: 'protocol', protocol: { choice: 'ipv4', ipv4: {} } };
    assert.deepEqual(await call('POST', '/control/action', ping), [
      400,
      { code: 400, kind: 'validation', errors: ['protocol.ipv4: is not supported'] },
    ]);
  });

  it('has neighbours resolved as soon as devices are there', async () => {
    const ethernets = [
      {
        ...{ name: 'e1', mac: '00:00:00:00:00:0a', connection: { port_name: 'a' } },
        ipv4_addresses: [{ name: 'i1', address: '10.0.0.2', gateway: '10.0.0.1' }],
      },
    ];
    await call('POST', '/config', { ...PORTS, devices: [{ name: 'd1', ethernets }] });
    const asked = { choice: 'ipv4_neighbors', ipv4_neighbors: { ethernet_names: ['e1'] } };
    const [status, answer] = await call('POST', '/monitor/states', asked);
    assert.equal(status, 200);
    const {
      ipv4_neighbors: [one],
    } = answer as { readonly ipv4_neighbors: Row[] };
    assert.deepEqual([one!['ethernet_name'], one!['ipv4_address']], ['e1', '10.0.0.1']);
    assert.match(String(one!['link_layer_address']), /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/);
  });

  it('goes on when a client leaves in the middle of a request', async () => {
    const { port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write('POST /config HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{ "ports"');
    // It has begun to read when it answers another.
    assert.equal((await call('GET', '/capabilities/version'))[0], 200);
    socket.resetAndDestroy();
    await once(socket, 'close');
    for (let turn = 0; turn < 3; turn++) {
      assert.equal((await call('GET', '/capabilities/version'))[0], 200);
    }
  });

  it('passes a script of snappi as SONiC has them', { skip: skipWithout('snappi') }, () => {
    const script = join(ROOT, 'test/otg/pfc_test.py');
    const env = { ...process.env, PYTHONPATH: PYTHON_FOLDER };
    const { status, stdout, stderr } = spawnSync('python3', [script, url], {
      encoding: 'utf8',
      env,
    });
    assert.equal(status, 0, stderr);
    assert.equal(stdout.match(/ passed$/gm)?.length, 5);
  });
});
