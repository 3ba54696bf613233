/**
 * DCTCP (RFC 8257): the window is cut by how large a share of a round's packets was marked, and not
 * by half at the first mark, so that queues stay at the threshold of `ecn: { step: … }`.
 *
 * @typedef {'gain' | 'begin'} Key
 * @typedef {'alpha' | 'seen' | 'marked' | 'round' | 'threshold'} Field
 * @type {import('selvage/plugin').CongestionControl<Key, Field>}
 */
export default {
  api: 1,
  kind: 'congestion-control',
  name: 'dctcp',
  help: 'Cuts the window by the share of marked packets (RFC 8257).',
  feedback: 'echoes',
  settings: {
    gain: { unit: 'share', default: '6.25%', help: 'Weight of a round in the average (g).' },
    begin: { unit: 'integer', default: 10, min: 1, help: 'First window, in packets.' },
  },
  state: { alpha: 1, seen: 0, marked: 0, round: 0, threshold: Infinity },

  start(connection) {
    connection.windowPackets = connection.settings.begin;
    connection.state.round = connection.settings.begin;
  },

  answered(connection, { packets, marked }) {
    const { settings, state } = connection;
    state.seen += packets;
    if (marked) state.marked += packets;
    const isSlowStart = connection.windowPackets < state.threshold && !marked;
    connection.windowPackets += isSlowStart ? packets : packets / connection.windowPackets;
    if (marked && state.threshold === Infinity) state.threshold = connection.windowPackets;
    if (state.seen < state.round) return;
    // A round is over when a window of packets is acknowledged.
    state.alpha += settings.gain * (state.marked / state.seen - state.alpha);
    if (state.marked > 0) {
      connection.windowPackets = Math.max(1, connection.windowPackets * (1 - state.alpha / 2));
      state.threshold = connection.windowPackets;
    }
    state.round = Math.floor(connection.windowPackets);
    state.seen = 0;
    state.marked = 0;
  },

  lost(connection) {
    connection.windowPackets = Math.max(1, connection.windowPackets / 2);
    connection.state.threshold = connection.windowPackets;
  },
};
