/**
 * Longest queue first: of the classes that may send, the one in which most waits. A class that has
 * waited for longer than `patience` goes before, so that a short queue does not starve.
 *
 * @type {import('selvage/plugin').Arbiter<'patience', never, 'since'>}
 */
export default {
  api: 1,
  kind: 'arbiter',
  name: 'longest-first',
  help: 'The longest queue, or one that has waited too long.',
  settings: {
    patience: { unit: 'time', default: '20us', help: 'A class that waited so long goes first.' },
  },
  state: {},
  classes: { since: Infinity },

  serves(turn) {
    const { classes, now, settings } = turn;
    let longest = -1;
    let oldest = -1;
    for (let tc = 0; tc < 8; tc++) {
      if (!turn.isEligible(tc)) {
        classes[tc].since = Infinity;
        continue;
      }
      classes[tc].since = Math.min(classes[tc].since, now);
      if (longest < 0 || turn.queueBytes(tc) >= turn.queueBytes(longest)) longest = tc;
      if (oldest < 0 || classes[tc].since < classes[oldest].since) oldest = tc;
    }
    const served = now - classes[oldest].since > settings.patience ? oldest : longest;
    classes[served].since = now;
    return served;
  },
};
