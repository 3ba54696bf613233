import type { QuantitySchema } from '../settings/parts.js';
import { quantity } from '../settings/parts.js';
import type { Quantity } from '../settings/quantities.js';
import { QuantityError, rate, share, size, time } from '../settings/quantities.js';
import { listed, show } from '../settings/errors.js';
import type { Setting, Settings, Unit } from './api.js';

const NUMBER = '-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?';

/** A number without a unit. */
function plain(name: string, allowed: string, isFit: (value: number) => boolean): Quantity {
  const shape = new RegExp(`^${NUMBER}$`);
  const parse = (value: string | number): number => {
    const parsed = typeof value === 'number' || shape.test(value) ? Number(value) : NaN;
    if (isFit(parsed)) return parsed;
    throw new QuantityError(`not ${name}: ${show(value)}; write ${allowed}`);
  };
  return { name, allowed, written: { pattern: `^${NUMBER}$`, number: {} }, parse };
}

const QUANTITIES: Readonly<Record<Unit, Quantity>> = {
  time,
  rate,
  size,
  share,
  number: plain('a number', 'a number', Number.isFinite),
  integer: plain('a whole number', 'a whole number', Number.isSafeInteger),
};

/** Schema of a setting that a plugin declares; throws where the declaration is invalid. */
export function settingSchema({ unit, min, max }: Omit<Setting, 'help'>): QuantitySchema {
  if (!Object.hasOwn(QUANTITIES, unit)) {
    throw new Error(`unit is ${show(unit)}; one of ${listed(Object.keys(QUANTITIES))}`);
  }
  return quantity(within(QUANTITIES[unit], min, max));
}

/** The keys of a plugin's section, each with its help and default. */
export function settingSchemas(
  settings: Settings,
): Readonly<Record<string, ReturnType<QuantitySchema['prefault']>>> {
  return Object.fromEntries(
    Object.entries(settings).map(([key, setting]) => [
      key,
      settingSchema(setting).describe(setting.help).prefault(setting.default),
    ]),
  );
}

/** The quantity in a range, whose bounds are written as its values are. */
function within(of: Quantity, min?: string | number, max?: string | number): Quantity {
  const [least, most] = [
    min === undefined ? -Infinity : of.parse(min),
    max === undefined ? Infinity : of.parse(max),
  ];
  if (least > most) throw new Error(`min ${show(min)} is above max ${show(max)}`);
  const bounds = [min === undefined ? '' : `from ${min}`, max === undefined ? '' : `up to ${max}`];
  const range = bounds.filter((bound) => bound !== '').join(' ');
  if (range === '') return of;
  const parse = (value: string | number): number => {
    const parsed = of.parse(value);
    if (parsed >= least && parsed <= most) return parsed;
    throw new QuantityError(`out of range: ${show(value)}; ${range}`);
  };
  return { ...of, allowed: `${of.allowed}, ${range}`, parse };
}
