/**
 * Defaults of 802.1Q clause 32 (IEEE8021-CN-MIB). They suit 10 Gb/s; octets and rates scale with
 * the link, times do not.
 */
export const QCN_POINT_DEFAULTS = {
  /** cpQSp */
  setPointOctets: 26_000,
  /** cpWeight is a power of two; this is its exponent. */
  weightExponent: 1,
  /** cpSampleBase */
  sampleOctets: 150_000,
} as const;

export const QCN_WEIGHT_EXPONENT = { least: -10, most: 10 } as const;

/** cpMinHeaderOctets: octets of a sampled frame's data in a message (32.9.4). */
export const QCN_HEADER_OCTETS = { most: 64, default: 0 } as const;

export const QCN_REACTION_DEFAULTS = {
  /** rpgTimeReset */
  timeResetPs: 15e9,
  /** rpgByteReset */
  byteReset: 150_000,
  /** rpgThreshold: cycles of fast recovery */
  threshold: 5,
  /** rpgAiRate, rpgHaiRate */
  activeBps: 5e6,
  hyperBps: 50e6,
  /** rpgGd */
  gain: 1 / 128,
  /** rpgMinDecFac */
  minDecreaseFactor: 0.5,
  /** rpgMinRate */
  minBps: 5e6,
} as const;

/** Rate of the link that the defaults suit. */
export const QCN_SCALE_BPS = 10e9;
