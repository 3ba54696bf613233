// The layers of ARCHITECTURE.md, lowest first. A layer may import itself and those named with it.
const layers = {
  'services/engine/units': [],
  'services/engine/wire': ['services/engine/units', 'services/engine/kernel/assert.ts'],
  'services/engine/kernel': ['services/engine/units'],
};

// The rooms of ARCHITECTURE.md, lowest first. A room imports only itself and rooms below it.
const rooms = [
  ...[
    'settings',
    'engine',
    'mechanisms',
    'plugins',
    'jobs',
    'measures',
    'imports',
    'endpoints',
    'fabric',
    'telemetry',
    'oracle',
    'runtime',
  ],
  ...[
    'coordinator',
    'service',
    'sweep',
    'report',
    'exports',
    'sonic',
    'otg',
    'advise',
    'hunt',
    'live',
    'attach',
    'page',
    'library',
    'cli',
  ],
];

const upward = (room, above) => ({
  name: `rooms-point-down:${room}`,
  comment: `${room} is below ${above.join(', ')}`,
  severity: 'error',
  from: { path: `^services/${room}/` },
  to: { path: `^services/(${above.join('|')})/` },
});

const below = (layer, allowed) => ({
  name: `layer:${layer}`,
  comment: `${layer} may import only: ${[layer, ...allowed].join(', ')}`,
  severity: 'error',
  from: { path: `^${layer}/` },
  to: { pathNot: [layer, ...allowed].map((l) => `^${l}(/|$)`) },
});

const engine = '^services/engine/';
const mechanism = '^services/engine/(mvtx2802|nic-82599|discovery)/';

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'engine-is-pure',
      comment: 'The engine imports nothing outside itself: no package, no Node module.',
      severity: 'error',
      from: { path: engine },
      to: { pathNot: engine },
    },
    ...rooms.slice(0, -1).map((room, i) => upward(room, rooms.slice(i + 1))),
    ...Object.entries(layers).map(([layer, allowed]) => below(layer, allowed)),
    {
      name: 'contract-knows-no-mechanism',
      severity: 'error',
      from: { path: '^services/engine/contract/' },
      to: { path: '^services/engine/(mvtx2802|nic-82599|discovery|device|analysis)/' },
    },
    {
      name: 'mechanisms-do-not-meet',
      comment: 'A mechanism never imports another; what they share is contract, port or buffer.',
      severity: 'error',
      from: { path: mechanism },
      to: { path: mechanism, pathNot: '^services/engine/$1/' },
    },
    {
      name: 'only-devices-compose',
      severity: 'error',
      from: {
        path: '^services/engine/',
        pathNot: '^services/engine/(device|analysis|recurrence)/',
      },
      to: { path: '^services/engine/device/' },
    },
    {
      name: 'settings-stand-alone',
      severity: 'error',
      from: { path: '^services/settings/' },
      to: { path: '^services/', pathNot: '^services/settings/' },
    },
    {
      name: 'mechanisms-on-engine-and-settings',
      comment: 'A slice knows the engine and how settings are described; fabric knows slices.',
      severity: 'error',
      from: { path: '^services/mechanisms/' },
      to: { path: '^services/', pathNot: '^services/(engine|settings|mechanisms)/' },
    },
    {
      name: 'slices-do-not-meet',
      severity: 'error',
      from: { path: '^services/mechanisms/([^/]+)/' },
      to: { path: '^services/mechanisms/([^/]+)/', pathNot: '^services/mechanisms/$1/' },
    },
    {
      name: 'machines-are-pure',
      comment: 'What an actor executes imports the engine; of settings it has only types.',
      severity: 'error',
      from: { path: '^services/mechanisms/[^/]+/(machine|mechanism|invariants)' },
      to: {
        pathNot: '^services/(engine|mechanisms)/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'plugins-above-mechanisms',
      comment: 'Algorithms of other people, on the road of the built-in ones.',
      severity: 'error',
      from: { path: '^services/plugins/' },
      to: { path: '^services/', pathNot: '^services/(engine|settings|mechanisms|plugins)/' },
    },
    {
      name: 'plugin-api-stands-alone',
      severity: 'error',
      from: { path: '^services/plugins/api' },
      to: { path: '^services/' },
    },
    {
      name: 'jobs-on-engine-and-settings',
      comment: 'A graph of operations knows no fabric, and of mechanisms how metrics are declared.',
      severity: 'error',
      from: { path: '^services/jobs/' },
      to: {
        path: '^services/',
        pathNot: '^services/((engine|settings|jobs)/|mechanisms/(measure|metric)[.]ts$)',
      },
    },
    {
      name: 'imports-on-jobs',
      comment: 'A format of another program becomes a document; what that means is for fabric.',
      severity: 'error',
      from: { path: '^services/imports/' },
      to: { path: '^services/', pathNot: '^services/(settings|jobs|imports)/' },
    },
    {
      name: 'endpoints-on-settings',
      comment: 'Sockets and the octets around a frame; what a frame means is for fabric.',
      severity: 'error',
      from: { path: '^services/endpoints/' },
      to: { path: '^services/', pathNot: '^services/(settings|endpoints)/' },
    },
    {
      name: 'fabric-below-runtime',
      severity: 'error',
      from: { path: '^services/fabric/' },
      to: {
        path: '^services/',
        pathNot: '^services/(engine|settings|mechanisms|measures|plugins|jobs|endpoints|fabric)/',
      },
    },
    {
      name: 'oracle-shares-no-code',
      comment: 'It is a second opinion: of the rest it knows the types of a configuration alone.',
      severity: 'error',
      from: { path: '^services/oracle/' },
      to: { pathNot: '^services/oracle/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'oracle-knows-no-machine',
      severity: 'error',
      from: { path: '^services/oracle/' },
      to: { path: '^services/', pathNot: '^services/(oracle|settings|fabric)/' },
    },
    {
      name: 'runtime-below-report-and-cli',
      severity: 'error',
      from: { path: '^services/runtime/' },
      to: {
        path: '^services/',
        pathNot: [
          '^services/(engine|settings|mechanisms|measures|plugins|jobs|fabric|oracle|runtime)/',
          '^services/telemetry/(congestion/|run-operation)',
        ],
      },
    },
    {
      name: 'congestion-below-runtime',
      severity: 'error',
      from: { path: '^services/telemetry/congestion/' },
      to: {
        path: '^services/',
        pathNot: '^services/(engine|settings|mechanisms|plugins|fabric|telemetry/congestion)/',
      },
    },
    {
      name: 'programs-stand-on-the-runtime',
      comment: 'Coordinator and service are programs: below them runtime, above them only the CLI.',
      severity: 'error',
      from: { path: '^services/(coordinator|service)/' },
      to: {
        path: '^services/',
        pathNot: '^services/(engine|settings|fabric|runtime|$1)/',
      },
    },
    {
      name: 'live-below-cli',
      comment: 'A live page is made of the report and told by the runtime; the CLI opens it.',
      severity: 'error',
      from: { path: '^services/live/' },
      to: {
        path: '^services/',
        pathNot:
          '^services/(settings|measures|fabric|report/(page|format|why)|runtime|live)(/|\\.)',
      },
    },
    {
      name: 'library-runs-in-its-process',
      severity: 'error',
      from: { path: '^services/library/' },
      to: { path: '^services/(coordinator|service|hunt|sweep)/' },
    },
    {
      name: 'programs-need-dependencies',
      comment: 'What programs import is installed with them: it is in `dependencies`, or optional.',
      severity: 'error',
      from: { path: '^services/', pathNot: '^services/(page|build)/' },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['npm-peer', 'type-only'],
      },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
  },
};
