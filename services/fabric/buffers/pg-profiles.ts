/** `pg_profile_lookup.ini`: the profile of a lossless group, by speed and cable. */

/** Takes what is wrong, with its place. */
interface Errors {
  add(
    at: { readonly file: string; readonly line: number; readonly key: string },
    message: string,
  ): void;
}

/** A line of the file; sizes in octets. */
export interface PgProfile {
  readonly speedMbps: number;
  /** As it is written: the key is a text. */
  readonly cable: string;
  readonly size: number;
  readonly xon: number;
  readonly xoff: number;
  /** `dynamic_th` of the profile. */
  readonly threshold: number;
  /** Null: the file has no such column. */
  readonly xonOffset: number | null;
  readonly file: string;
  readonly line: number;
}

const COLUMNS = ['speed', 'cable', 'size', 'xon', 'xoff', 'threshold', 'xon_offset'];
const WHOLE = /^\d{1,15}$/;
const SIGNED = /^-?\d{1,15}$/;
const CABLE = /^\d+(?:\.\d+)?m$/;
/** By column: a threshold may be negative, as a power of 2. */
const FORMS = [WHOLE, CABLE, WHOLE, WHOLE, WHOLE, SIGNED, WHOLE];

export class PgProfiles {
  private readonly profiles = new Map<string, PgProfile>();

  constructor(readonly file: string) {}

  get(speedMbps: number, cable: string): PgProfile | undefined {
    return this.profiles.get(`${speedMbps} ${cable}`);
  }

  all(): PgProfile[] {
    return [...this.profiles.values()];
  }

  /** The line of a link, or what is nearest to it, in words. */
  ofLink(speedMbps: number, metres: number): PgProfile | string {
    const own = this.all().filter((row) => row.speedMbps === speedMbps);
    const found = own.find(({ cable }) => parseFloat(cable) === metres);
    if (found !== undefined) return found;
    const apart = ({ cable }: PgProfile): number => Math.abs(parseFloat(cable) - metres);
    const near = own.sort((a, b) => apart(a) - apart(b)).slice(0, 2);
    const speeds = [...new Set(this.all().map((row) => row.speedMbps))];
    const nearest = near
      .map(({ cable, line }) => `${speedMbps} ${cable} (line ${line})`)
      .join(', ');
    const others =
      nearest === '' ? `speeds of the table: ${speeds.join(', ')}` : `nearest: ${nearest}`;
    return `${this.file} has no line for ${speedMbps} ${metres}m; ${others}`;
  }

  add(profile: PgProfile): PgProfile | undefined {
    const key = `${profile.speedMbps} ${profile.cable}`;
    const before = this.profiles.get(key);
    if (before === undefined) this.profiles.set(key, profile);
    return before;
  }
}

export function readPgProfiles(file: string, text: string, errors: Errors): PgProfiles {
  const profiles = new PgProfiles(file);
  text.split('\n').forEach((written, i) => {
    const words = written.replace(/#.*/, '').trim().split(/\s+/);
    if (words[0] === '') return;
    const at = { file, line: i + 1, key: words.slice(0, 2).join(' ') };
    const profile = profileOf(words, at, errors);
    if (profile === null) return;
    const before = profiles.add(profile);
    if (before !== undefined) errors.add(at, `given twice, first in line ${before.line}`);
  });
  return profiles;
}

function profileOf(
  words: readonly string[],
  at: { readonly file: string; readonly line: number; readonly key: string },
  errors: Errors,
): PgProfile | null {
  if (words.length < 6 || words.length > 7) {
    errors.add(at, `${words.length} columns; expected ${COLUMNS.join(' ')}, the last optional`);
    return null;
  }
  const wrong = words.findIndex((word, i) => !FORMS[i]!.test(word));
  if (wrong >= 0) {
    const allowed = wrong === 1 ? 'a length such as 300m' : 'a whole number of 0 or more';
    errors.add(at, `${COLUMNS[wrong]!} is ${JSON.stringify(words[wrong])}, not ${allowed}`);
    return null;
  }
  const numbers = words.map(Number);
  const [speedMbps, , size, xon, xoff, threshold, xonOffset] = numbers as [number, ...number[]];
  return {
    ...{ speedMbps, cable: words[1]!, size: size!, xon: xon!, xoff: xoff! },
    ...{ threshold: threshold!, xonOffset: xonOffset ?? null },
    ...{ file: at.file, line: at.line },
  };
}
