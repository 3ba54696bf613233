import { setFlagsFromString } from 'node:v8';

/**
 * Lets V8 inline the data path into the event loop, with what credit adds to it. The default budget
 * (920 bytecodes) ends in the middle of it, and each call that is left costs more than the work it
 * does. Call it before the engine is loaded; it changes speed and nothing else.
 */
export function prepareEngine(): void {
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=4500');
}
