/** Plugins as their files say them. */

export const control = (name: string): string => `export default {
  api: 1,
  kind: 'congestion-control',
  name: '${name}',
  help: 'Waits.',
  feedback: 'acknowledgements',
  settings: { gap: { unit: 'time', default: '1us', help: 'Time.' } },
  state: { count: 0 },
  acknowledged(connection) {
    connection.state.count++;
    connection.rateBps = connection.lineBps / (1 + (connection.state.count % 4));
  },
};
`;

export const CONTROL = control('wait');

export const LOAD = `export default {
  api: 1,
  kind: 'load',
  name: 'pairs',
  help: 'Each host sends to the next.',
  settings: { bytes: { unit: 'size', default: '10KB', help: 'Payload.' } },
  *flows({ settings, hosts }) {
    for (let i = 1; i < hosts.length; i++) {
      yield { from: hosts[i - 1].name, to: hosts[i].name, bytes: settings.bytes };
    }
  },
};
`;

export const MARKING = `export default {
  api: 1,
  kind: 'marking',
  name: 'all',
  help: 'Marks.',
  at: 'enqueue',
  state: {},
  marks() { return true; },
};
`;

export const BALANCING = `export default {
  api: 1,
  kind: 'balancing',
  name: 'last',
  help: 'The last one.',
  state: {},
  flows: { slots: 8, state: { at: 0 } },
  chooses() { return 0; },
};
`;
