import type { LoadHook } from 'node:module';

// A loader that takes the probes out of the data path, so that what they cost can be measured.
// What is left is what faults need.

const CUTS: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  'device/loop.js': [
    [/traceMask\.matchesReceived\(port, frame\)/, 'traceMask.isImpaired(port)'],
    [/traceMask\.wantsSent\(wanted, frameClass\)/, 'false'],
  ],
  'device/egress-path.js': [
    [/traceMask\.wantedOfQueued\(port\)/, '0'],
    [/if \(traceMask\.draw\.draws\(frame\)\)\s*words[^;]*;/, ''],
  ],
};

export const load: LoadHook = async (url, context, next) => {
  const loaded = await next(url, context);
  const file = Object.keys(CUTS).find((name) => url.endsWith(`services/engine/${name}`));
  if (file === undefined) return loaded;
  let source = Buffer.from(loaded.source as Uint8Array).toString();
  for (const [probe, without] of CUTS[file]!) {
    if (!probe.test(source)) throw new Error(`${file} has no ${probe.source} to take out`);
    source = source.replace(probe, without);
  }
  return { ...loaded, source };
};
