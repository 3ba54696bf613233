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
    assert.equal(fates.get('RATE_AI'), 'ignored');
    assert.equal(fates.get('BUFFER_SIZE'), 'used');
    // Ports of 25G would mark by other thresholds there.
    assert.equal(fates.get('marking by rate'), 'changed');
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
