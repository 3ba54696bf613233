import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { scenarioOfDocument } from '../../../services/fabric/scenario/load-scenario.js';
import { type ImportedHpcc, importHpcc, kindOf } from '../../../services/imports/hpcc/hpcc.js';
import { WordFile } from '../../../services/imports/imported.js';
import { errorsOf } from '../jobs/samples.js';

const TOPOLOGY = `5 1 4
0
0 1 100Gbps 1us 0
0 2 100Gbps 1000ns 0
0 3 25Gbps 1us 0.001
0 4 100Gbps 1us 0
`;
const FLOWS = `2
1 4 3 100 100000 0.000000
2 4 3 100 100000 0.00001
`;
const MAPS = `KMAX_MAP 1 100000000000 400
KMIN_MAP 1 100000000000 100
PMAX_MAP 1 100000000000 0.25
`;
const CONFIG = `CC_MODE 1
PACKET_PAYLOAD_SIZE 1000
BUFFER_SIZE 16
SIMULATOR_STOP_TIME 0.5
LINK_DOWN 20 0 3
FLOW_FILE flow.txt
KMAX_MAP 2 25000000000 100 100000000000 400
KMIN_MAP 2 25000000000 25 100000000000 100
PMAX_MAP 2 25000000000 0.2 100000000000 0.25
RATE_AI 50Mb/s
`;

function imported({
  topology = TOPOLOGY,
  flows = FLOWS,
  config,
}: Readonly<Record<string, string | undefined>>): ImportedHpcc {
  return importHpcc({
    topology: new WordFile('topology.txt', topology),
    flows: new WordFile('flow.txt', flows),
    config: config === undefined ? null : new WordFile('config.txt', config),
  });
}

describe('files of HPCC and ConWeave', () => {
  it('are known by their content', () => {
    const kinds = [TOPOLOGY, FLOWS, CONFIG, 'hello\n', ''].map((text) =>
      kindOf(new WordFile('x', text)),
    );
    assert.deepEqual(kinds, ['topology', 'flows', 'config', null, null]);
  });

  it('become a scenario that holds', () => {
    const { document, tables, notes } = imported({ config: CONFIG });
    const { scenario } = scenarioOfDocument('s.yaml', document);
    assert.equal(scenario.fabric.links.length, 4);
    assert.deepEqual(
      scenario.fabric.links.map(({ link }) => [link.rateBps, link.propagationPs]),
      [
        [100e9, 1e6],
        [100e9, 1e6],
        [25e9, 1e6],
        [100e9, 1e6],
      ],
    );
    assert.equal(scenario.durationPs, 0.5e12);
    assert.deepEqual(
      scenario.faults.map(({ kind }) => kind),
      ['loss', 'link-down'],
    );
    const [load] = scenario.load;
    assert.deepEqual([load!.congestion, load!.priority], ['dcqcn', 3]);
    assert.equal(
      tables.get('flows-3.csv'),
      'time,source,destination,bytes\n0ps,h1,h4,100000\n10000000ps,h2,h4,100000\n',
    );
    const fates = new Map(notes.map(({ what, fate }) => [what, fate]));
    assert.equal(fates.get('RATE_AI'), 'used');
    assert.equal(fates.get('BUFFER_SIZE'), 'used');
    // Ports of 25G would mark by other thresholds there.
    assert.equal(fates.get('marking by rate'), 'changed');
  });

  it('end where their first line says, whatever follows', () => {
    const topology = `${TOPOLOGY}\nFirst line: nodes, switches and links\nsrc0 dst0 rate\n`;
    const { document, notes } = imported({ topology, flows: `${FLOWS}2 9 3 100 1 0\n` });
    assert.deepEqual(scenarioOfDocument('s.yaml', document).scenario.fabric.links.length, 4);
    assert.deepEqual(
      notes.filter(({ fate }) => fate === 'ignored').map(({ what, how }) => [what, how]),
      [
        ['topology.txt from line 8 on', 'its first line says 4 links'],
        ['flow.txt from line 4 on', 'its first line says 2 flows'],
      ],
    );
    const short = (): unknown => imported({ flows: FLOWS.replace('2\n', '3\n') });
    assert.throws(short, /flow\.txt:1:1: it says 3 flows, and the file has 2/);
  });

  it('have settings of their congestion control, and no others', () => {
    const keys = 'RATE_AI 50Mb/s\nMIN_RATE 100Mb/s\nEWMA_GAIN 0.00390625\nMI_THRESH 0\n';
    const of = (mode: number): Readonly<Record<string, unknown>> => {
      const config = `${MAPS}CC_MODE ${mode}\nU_TARGET 0.95\nRP_TIMER 900\nL2_ACK_INTERVAL 4\n${keys}`;
      const { document } = imported({ config });
      scenarioOfDocument('s.yaml', document);
      return document;
    };
    assert.deepEqual(of(1)['dcqcn'], {
      ...{ raisePeriod: '900us', activeRate: '50M', minRate: '100M', gain: 0.00390625 },
    });
    assert.deepEqual(of(3)['hpcc'], { utilisation: 0.95, minRate: '100M', stages: 0 });
    assert.deepEqual(of(7)['timely'], { step: '50M', minRate: '100M' });
    const [load] = of(7)['load'] as [{ transport: unknown }];
    assert.deepEqual(load.transport, { reliable: { mtu: 1000, ackEvery: 4 } });
  });

  it('may be of a fabric that drops, of IRN, of flowlets', () => {
    const config = 'CC_MODE 8\nENABLE_PFC 0\nENABLE_IRN 1\nLB_MODE 6\n';
    const { scenario } = scenarioOfDocument('s.yaml', imported({ config }).document);
    assert.equal(scenario.priorities[3]!.flowControl, 'none');
    const { notes } = imported({ config: 'CC_MODE 8\nLB_MODE 9\n' });
    const markless = (): unknown => imported({ config: 'CC_MODE 1\n' });
    assert.throws(markless, /config\.txt:1:1: CC_MODE 1 needs marks/);
    assert.match(notes.find(({ what }) => what === 'LB_MODE')!.how, /none of them is this one/);
  });

  it('of ConWeave have no port', () => {
    const flows = FLOWS.replaceAll(' 100 100000', ' 100000');
    assert.deepEqual(imported({ flows }).tables, imported({}).tables);
  });

  for (const [files, expected] of [
    [
      { topology: TOPOLOGY.replace('5 1 4', '5 1 9') },
      /topology\.txt:1:1: it says 9 links, and .* 4/,
    ],
    [{ topology: TOPOLOGY.replace('0 4 100', '0 7 100') }, /topology\.txt:6:1: there is no node 7/],
    [{ topology: TOPOLOGY.replace('100Gbps', 'fast') }, /topology\.txt:3:1: fast is no rate/],
    [
      { topology: TOPOLOGY.replace('1us 0\n0 2', '1m 0\n0 2') },
      /topology\.txt:3:1: 1m is no delay/,
    ],
    [{ topology: TOPOLOGY.replace('\n0\n', '\n9\n') }, /topology\.txt:2:1: 9 is no id of a switch/],
    [
      { flows: FLOWS.replace('2\n1', '3\n1') },
      /flow\.txt:1:1: it says 3 flows, and the file has 2/,
    ],
    [{ flows: FLOWS.replace('2 4 3', '0 4 3') }, /flow\.txt:3:1: node 0 is a switch/],
    [{ flows: FLOWS.replace('1 4 3', '1 1 3') }, /flow\.txt:2:1: h1 would send to itself/],
    [{ flows: FLOWS.replace('1 4 3', '1 4 9') }, /flow\.txt:2:1: 9 is no priority group/],
    [{ flows: FLOWS.replace('0.00001', '-1') }, /flow\.txt:3:1: -1 is no time in seconds/],
    [{ config: 'CC_MODE 1\nKMIN_MAP 2 1 1\n' }, /config\.txt:2:1: KMIN_MAP has a count/],
    [{ config: 'BUFFER_SIZE big\n' }, /config\.txt:1:1: big is no value of BUFFER_SIZE/],
  ] as const) {
    it(`are refused: ${expected.source}`, () => {
      assert.match(errorsOf(() => imported(files)).join('\n'), expected);
    });
  }

  it('have all of their errors named', () => {
    const flows = '2\n1 1 3 5 0\n2 4 8 5 0\n';
    assert.equal(errorsOf(() => imported({ flows })).length, 2);
  });

  it('survive any octet that is wrong', () => {
    for (const [name, text] of Object.entries({
      topology: TOPOLOGY,
      flows: FLOWS,
      config: CONFIG,
    })) {
      for (let at = 0; at < text.length; at++) {
        for (const other of ['', '\n', ' ', '-', '9', 'é']) {
          const wrong = text.slice(0, at) + other + text.slice(at + 1);
          if (kindOf(new WordFile('x', wrong)) !== name) continue;
          errorsOf(() => imported({ [name]: wrong }));
        }
      }
    }
  });
});
