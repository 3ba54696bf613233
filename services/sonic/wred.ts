/** WRED_PROFILE, and the queues that have one. */

import { type FieldReader, portsIn, textOf } from './fields.js';
import type { FileErrors, FilePlace } from './file-errors.js';
import type { Entry } from './tables.js';
import { nameIn, numbersIn } from './tables.js';

const COLOURS = ['green', 'yellow', 'red'] as const;
type Colour = (typeof COLOURS)[number];

/** Thresholds in octets; a share in percent. */
interface SonicCurve {
  readonly minOctets: number;
  /** Null: the whole buffer. */
  readonly maxOctets: number | null;
  readonly percent: number;
  /** Frames that are not marked are dropped (`wred_green_enable`). */
  readonly drops: boolean;
}

export interface SonicWred {
  readonly name: string;
  readonly place: FilePlace;
  readonly curves: ReadonlyMap<Colour, SonicCurve>;
  /** Colours whose frames are marked where they can be, and others that are dropped. */
  readonly marked: readonly Colour[];
  /** Of the average, as a power of 2. */
  readonly weight: number;
}

export interface WredQueue {
  readonly port: string;
  readonly queue: number;
  readonly wred: SonicWred;
}

/** What `ecn` may be: colours behind `ecn_`. */
const ECN = /^ecn_(none|all|(?:green|yellow|red)(?:_(?:green|yellow|red))*)$/;
/** Of the template (qos_config.j2), as SAI has them without one. */
const USUAL_PERCENT = 100;
const WEIGHT_MOST = 15;

export class WredReader {
  constructor(
    private readonly reader: FieldReader,
    private readonly errors: FileErrors,
  ) {}

  read(): WredQueue[] {
    const profiles = new Map(
      this.reader.entries('WRED_PROFILE').map((entry) => [entry.key, this.profile(entry)]),
    );
    return this.reader.entries('QUEUE').flatMap((entry) => {
      const named = textOf(entry, 'wred_profile');
      const queues = numbersIn(entry.key.slice(entry.key.lastIndexOf('|') + 1));
      if (queues === null) {
        this.errors.add(entry.place, 'its key ends in no queue, such as |3-4');
        return [];
      }
      if (named === undefined || named === '' || named === 'NULL') return [];
      const wred = profiles.get(nameIn(named));
      if (wred === undefined) {
        const { place } = entry.fields.get('wred_profile')!;
        this.errors.add(place, `no profile ${JSON.stringify(nameIn(named))} in WRED_PROFILE`);
        return [];
      }
      return portsIn(entry.key).flatMap((port) => queues.map((queue) => ({ port, queue, wred })));
    });
  }

  private profile(entry: Entry): SonicWred {
    const { key: name, place } = entry;
    const ecn = textOf(entry, 'ecn') ?? 'ecn_none';
    const [, colours] = ECN.exec(ecn) ?? [];
    if (colours === undefined) {
      const at = entry.fields.get('ecn')!.place;
      this.errors.add(at, `${JSON.stringify(ecn)} is none of ecn_none, ecn_all, ecn_green, …`);
    }
    const marked = COLOURS.filter(
      (colour) => colours === 'all' || colours?.split('_').includes(colour) === true,
    );
    const weight = this.reader.number(entry, 'weight', 0);
    if (weight > WEIGHT_MOST) {
      this.errors.add(entry.fields.get('weight')!.place, `${weight} is above ${WEIGHT_MOST}`);
    }
    const curves = COLOURS.flatMap((colour): [Colour, SonicCurve][] => {
      const curve = this.curve(entry, colour, marked.includes(colour));
      return curve === null ? [] : [[colour, curve]];
    });
    return { name, place, curves: new Map(curves), marked, weight };
  }

  private curve(entry: Entry, colour: Colour, isMarked: boolean): SonicCurve | null {
    const drops = textOf(entry, `wred_${colour}_enable`) === 'true';
    const minOctets = this.reader.number(entry, `${colour}_min_threshold`, null);
    if (minOctets === null || !(drops || isMarked)) return null;
    const most = this.reader.number(entry, `${colour}_max_threshold`, 0);
    const percent = this.reader.number(entry, `${colour}_drop_probability`, USUAL_PERCENT);
    const placeOf = (field: string): FilePlace => entry.fields.get(field)!.place;
    if (most !== 0 && most < minOctets) {
      const message = `${most} is below ${colour}_min_threshold, ${minOctets}`;
      this.errors.add(placeOf(`${colour}_max_threshold`), message);
    }
    if (percent > 100) {
      this.errors.add(placeOf(`${colour}_drop_probability`), `${percent} is above 100 percent`);
    }
    return { minOctets, maxOctets: most === 0 ? null : most, percent, drops };
  }
}
