// Keys of config.txt that are settings here under another name, in another unit, or of one control.

/** How a key is said in a scenario. */
interface Parameter {
  /** The congestion control whose section has it; null: it is of the transport, with any. */
  readonly control: string | null;
  readonly name: string;
  /** The value as a scenario has it; null: it is none. */
  readonly valueOf: (word: string) => string | number | boolean | null;
}

const time = (word: string): string | null => (isNumber(word) ? `${word}us` : null);
const share = (word: string): number | null =>
  isNumber(word) && Number(word) <= 1 ? Number(word) : null;
const whole = (word: string): number | null => (/^\d{1,6}$/.test(word) ? Number(word) : null);
const flag = (word: string): boolean | null => (/^[01]$/.test(word) ? word === '1' : null);
const rate = (word: string): string | null =>
  /^(\d{1,9}(?:\.\d{1,9})?[kMG])b(?:ps|\/s)$/.exec(word)?.[1] ?? null;

/** By key; several where it is one of several controls. */
const PARAMETERS: Readonly<Record<string, readonly Parameter[]>> = {
  EWMA_GAIN: [{ control: 'dcqcn', name: 'gain', valueOf: share }],
  ALPHA_RESUME_INTERVAL: [{ control: 'dcqcn', name: 'alphaPeriod', valueOf: time }],
  RATE_DECREASE_INTERVAL: [{ control: 'dcqcn', name: 'cutPeriod', valueOf: time }],
  RP_TIMER: [{ control: 'dcqcn', name: 'raisePeriod', valueOf: time }],
  FAST_RECOVERY_TIMES: [{ control: 'dcqcn', name: 'fastCycles', valueOf: whole }],
  CLAMP_TARGET_RATE: [{ control: 'dcqcn', name: 'clampTarget', valueOf: flag }],
  RATE_HAI: [{ control: 'dcqcn', name: 'hyperRate', valueOf: rate }],
  RATE_AI: [
    { control: 'dcqcn', name: 'activeRate', valueOf: rate },
    { control: 'timely', name: 'step', valueOf: rate },
  ],
  MIN_RATE: ['dcqcn', 'hpcc', 'timely'].map((control) => ({
    ...{ control, name: 'minRate', valueOf: rate },
  })),
  U_TARGET: [{ control: 'hpcc', name: 'utilisation', valueOf: share }],
  MI_THRESH: [{ control: 'hpcc', name: 'stages', valueOf: whole }],
  L2_ACK_INTERVAL: [{ control: null, name: 'ackEvery', valueOf: whole }],
};

/** Of what is not read: why, and what says it here. */
const REMEDIES: readonly (readonly [keys: RegExp, how: string])[] = [
  [/_FILE$/, 'files are named to the import'],
  [/^(QLEN_MON|SW_MONITORING)/, 'observe.series samples queues'],
  [/^ENABLE_TRACE$/, 'run --capture and --follow have frames'],
  [/^ACK_HIGH_PRIO$/, 'ackPriority of the transport has it'],
  [/^ERROR_RATE_PER_LINK$/, 'a fault of kind loss has it'],
  [/^(HAS_WIN|GLOBAL_T|VAR_WIN|FAST_REACT)$/, 'window of the transport: by default as it needs'],
  [/^USE_DYNAMIC_PFC_THRESHOLD$/, 'thresholds are dynamic; xoff of the priority is a static one'],
  [/^RATE_AI$/, 'hpcc.increase is octets of a window'],
  [/^RANDOM_SEED$/, 'seed has it'],
  [/^LB_MODE$/, 'switches.ecmp has flow, packet, adaptive and flowlet: none of them is this one'],
  [/^CONWEAVE_/, 'ConWeave is not here'],
];
const CONTROL_KEYS = new Set([...Object.keys(PARAMETERS), 'DCTCP_RATE_AI']);

/** A key, if it is a setting with this control. */
export function parameterOf(key: string, congestion: string): Parameter | null {
  const all = PARAMETERS[key] ?? [];
  return all.find(({ control }) => control === null || control === congestion) ?? null;
}

/** Why a key is not read. */
export function reasonOf(key: string): string {
  const remedy = REMEDIES.find(([keys]) => keys.test(key));
  if (remedy !== undefined) return remedy[1];
  return CONTROL_KEYS.has(key) ? 'it is of another congestion control' : 'not a setting here';
}

function isNumber(word: string): boolean {
  return /^\d{1,9}(?:\.\d{1,15})?$/.test(word);
}
