/**
 * RED as its authors wrote it (Floyd and Jacobson, 1993): the queue is averaged, so that a burst is
 * not taken for a standing queue, and marks are spread evenly by counting frames since the last.
 *
 * @typedef {'min' | 'max' | 'probability' | 'weight'} Key
 * @type {import('selvage/plugin').Marking<Key, 'average' | 'since'>}
 */
export default {
  api: 1,
  kind: 'marking',
  name: 'average-red',
  help: 'Marks by the averaged length of the queue, and evenly.',
  at: 'enqueue',
  settings: {
    min: { unit: 'size', default: '50KB', help: 'Average below which nothing is marked.' },
    max: { unit: 'size', default: '150KB', help: 'Average from which every frame is marked.' },
    probability: { unit: 'share', default: '10%', help: 'Share of frames marked just below max.' },
    weight: { unit: 'share', default: '1%', min: '0.01%', help: 'Of a frame in the average.' },
  },
  state: { average: 0, since: 0 },

  marks(queue) {
    const { settings, state } = queue;
    state.average += settings.weight * (queue.bytes - state.average);
    if (state.average < settings.min) {
      state.since = 0;
      return false;
    }
    const slope = (state.average - settings.min) / (settings.max - settings.min);
    const share = settings.probability * slope;
    // Every frame that was spared makes the next mark likelier: gaps are even, not geometric.
    const due = share / Math.max(1e-9, 1 - state.since * share);
    state.since += 1;
    if (slope < 1 && queue.random() >= due) return false;
    state.since = 0;
    return true;
  },
};
