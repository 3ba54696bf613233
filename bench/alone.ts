import { prepareEngine } from '../services/runtime/engine-flags.js';
import { fabricOf, permutation } from './fabrics.js';

// A k=8 permutation in this process alone: says when it is ready, and in the end how many
// milliseconds it took.
//   alone.js VIRTUAL_US

prepareEngine();
const { Session } = await import('../services/runtime/session.js');
const session = new Session(fabricOf(permutation(8, Number(process.argv[2]))), { check: false });
process.send!('ready');
await new Promise((resolve) => process.once('message', resolve));
const start = performance.now();
while (session.advance(1000) === 'running');
process.send!(performance.now() - start);
process.disconnect();
