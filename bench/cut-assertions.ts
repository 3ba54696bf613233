import type { LoadHook } from 'node:module';

// A loader that takes the assertions out of the engine and the mechanisms, so that what they cost
// can be measured.

const MODULE = /services\/(engine|mechanisms)\/.*\.js$/;
/** As the build leaves them. */
const ASSERTION = /^\s*if \(!\(.*\)\) \$assert\(false, '[\w.-]+'\);$/gm;

export const load: LoadHook = async (url, context, next) => {
  const loaded = await next(url, context);
  if (!MODULE.test(url)) return loaded;
  const source = Buffer.from(loaded.source as Uint8Array).toString();
  const without = source.replace(ASSERTION, '');
  // Another form of them would be measured beside itself.
  if (without.includes('$assert(')) throw new Error(`${url} has assertions of another form`);
  return { ...loaded, source: without };
};
