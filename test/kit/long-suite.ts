/** The suite of hours (`npm run test:chaos`): more kills, worlds, hunts and lines of Node. */
export const isLong = process.env['SELVAGE_CHAOS'] === 'long';

/** For a test that only the long suite runs. */
export const skipUnlessLong = isLong ? false : 'in the long suite';
