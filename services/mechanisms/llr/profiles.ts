const NS = 1e3;
const US = 1e6;

/** Limits and timers that hardware is configured with for a rate and a length of link. */
interface LlrProfile {
  readonly frames: number;
  readonly octets: number;
  readonly replayTimerPs: number;
  readonly replays: number;
  readonly pcsLostPs: number;
  readonly dataAgePs: number;
  readonly spacingOctets: number;
}

/** As in every row. */
export const USUAL_REPLAYS = 3;
/** The standard's default. */
export const USUAL_SPACING_OCTETS = 2_048;

/** Rows that a public configuration gives: see the README. */
export const PROFILES = {
  '200g-5m': row(61, 31_184, 5_000, 50_000, 20_000),
  '200g-40m': row(71, 35_952, 5_500, 55_000, 24_000),
  '400g-5m': row(115, 58_768, 5_000, 50_000, 20_000),
  '400g-40m': row(133, 67_760, 5_500, 55_000, 24_000),
} as const;

export type ProfileName = keyof typeof PROFILES;

/** A row in words. */
export function profileText(name: ProfileName): string {
  const { frames, octets, replayTimerPs, replays, pcsLostPs, dataAgePs } = PROFILES[name];
  const times = [replayTimerPs, pcsLostPs, dataAgePs].map((ps) => `${ps / US}us`);
  return (
    `${name}: frames ${frames}, bytes ${octets}, replayTimer ${times[0]}, replays ${replays}, ` +
    `pcsLostTimeout ${times[1]}, dataAgeTimeout ${times[2]}`
  );
}

/** The last three in nanoseconds. */
function row(
  frames: number,
  octets: number,
  ...[replayTimer, pcsLost, dataAge]: readonly [number, number, number]
): LlrProfile {
  return {
    frames,
    octets,
    replayTimerPs: replayTimer * NS,
    replays: USUAL_REPLAYS,
    pcsLostPs: pcsLost * NS,
    dataAgePs: dataAge * NS,
    spacingOctets: USUAL_SPACING_OCTETS,
  };
}
