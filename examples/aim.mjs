/**
 * @typedef {'target' | 'begin' | 'step' | 'cut'} Key
 * @type {import('selvage/plugin').CongestionControl<Key, 'cutAt'>}
 */
export default {
  api: 1,
  kind: 'congestion-control',
  name: 'aim',
  help: 'Aims at a round trip: adds a little below it, and cuts by the excess above it.',
  feedback: 'acknowledgements',
  settings: {
    target: { unit: 'time', default: '20us', min: '1us', help: 'Round trip to aim at.' },
    begin: { unit: 'share', default: '10%', help: 'Share of the line to begin with.' },
    step: { unit: 'rate', default: '200M', help: 'What one acknowledgement below it adds.' },
    cut: { unit: 'share', default: '50%', help: 'How much of the excess one cut takes.' },
  },
  state: { cutAt: 0 },

  start(connection) {
    connection.rateBps = connection.lineBps * connection.settings.begin;
  },

  acknowledged(connection, { roundTripPs }) {
    const { settings, state, now } = connection;
    if (roundTripPs <= settings.target) {
      connection.rateBps += settings.step;
    } else if (now - state.cutAt >= roundTripPs) {
      const excess = 1 - settings.target / roundTripPs;
      connection.rateBps = Math.max(100e6, connection.rateBps * (1 - settings.cut * excess));
      state.cutAt = now;
    }
  },

  lost(connection) {
    connection.rateBps = Math.max(100e6, connection.rateBps / 2);
  },
};
