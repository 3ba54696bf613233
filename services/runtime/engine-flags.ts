import { spawnSync } from 'node:child_process';
import { setFlagsFromString } from 'node:v8';

/**
 * Lets V8 inline the data path into the event loop, with the code of flow control. The default
 * budget (920 bytecodes) ends in the middle of it, and each call that is left costs more than its
 * work.
 */
const INLINING = 'max-inlined-bytecode-size-cumulative=4500';

/**
 * Makes V8 wait until nine times as much was interpreted before it compiles (67,584 octets of
 * bytecode is the default): code that is compiled before the engine's rarer paths ran once is
 * discarded and compiled again, on the processor that another part of the run needs.
 */
const LATE_COMPILER = 'interrupt-budget=600000';

const FLAGS = [INLINING, LATE_COMPILER] as const;

/**
 * The opposite, for a service with a small part: nearly all of its time is the client of the broker
 * and the protocol, which are compiled too late for some thousand messages with the default.
 */
const EARLY_COMPILER = 'interrupt-budget=20000';
/** A part of so many ports has enough events for the engine to be what counts. */
const LARGE_PART_PORTS = 64;

/**
 * The flags that are known to exist in the V8 of each supported line of Node, by V8's major and
 * minor version. A test compares this with what each line lists.
 */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  // Node 20
  '11.3': [INLINING, LATE_COMPILER],
  // Node 22
  '12.4': [INLINING],
  // Node 24
  '13.6': [INLINING],
  // Node 26
  '14.6': [INLINING],
};

/** Sets the flags that this V8 has. Call it before the engine is loaded; it changes speed alone. */
export function prepareEngine(): void {
  for (const flag of engineFlags(process.versions.v8, listedByV8)) setFlagsFromString(`--${flag}`);
}

/** The same in a service, by the work that its part has. */
export function prepareService(ports: number): void {
  const flags = engineFlags(process.versions.v8, listedByV8);
  for (const flag of serviceFlags(flags, ports)) setFlagsFromString(`--${flag}`);
}

/** Of the flags of an engine, those for a service whose part has so many ports. */
export function serviceFlags(flags: readonly string[], ports: number): readonly string[] {
  if (ports >= LARGE_PART_PORTS) return flags;
  return flags.includes(LATE_COMPILER) ? [EARLY_COMPILER] : [];
}

/**
 * The flags that a version of V8 has. V8 prints an error for a flag that it does not have, so the
 * list of an unknown version is read, which costs a process (30 ms).
 */
export function engineFlags(v8Version: string, list: () => string): readonly string[] {
  const release = v8Version.split('.', 2).join('.');
  const known = KNOWN[release];
  if (known !== undefined) return known;
  const listed = list();
  return FLAGS.filter((flag) => listed.includes(`--${flag.split('=', 1)[0]} (`));
}

/** The flags of this V8, as text; empty if they cannot be listed. */
function listedByV8(): string {
  const listed = spawnSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  return listed.error === undefined ? listed.stdout : '';
}
