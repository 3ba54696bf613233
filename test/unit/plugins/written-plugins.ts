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
