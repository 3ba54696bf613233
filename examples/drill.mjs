/**
 * Load balancing after DRILL (Ghorbani and others, 2017): each frame looks at the queues of a few
 * ports drawn at random and of the best one of the last choice, and takes the shortest.
 *
 * @type {import('selvage/plugin').Balancing<'samples', 'best'>}
 */
export default {
  api: 1,
  kind: 'balancing',
  name: 'drill',
  help: 'The shortest queue of some drawn at random and of the best one before.',
  settings: {
    samples: { unit: 'integer', default: 2, min: 1, max: 16, help: 'Ports drawn for each frame.' },
  },
  state: { best: 0 },

  chooses(choice) {
    const { count, settings, state } = choice;
    let best = state.best;
    for (let sample = 0; sample < settings.samples; sample++) {
      const port = Math.floor(choice.random() * count);
      if (choice.queueBytes(port) < choice.queueBytes(best)) best = port;
    }
    state.best = best;
    return best;
  },
};
