/** `expect` of the file -> bounds in base units. */

import { show, unknownName } from '../../settings/errors.js';
import type { Located } from './located.js';
import { QuantityError } from '../../settings/quantities.js';
import type { Expectation, LoadSection } from './scenario.js';
import type { ExpectationInput } from './schema-expect.js';
import { boundUnitOf } from './schema-expect.js';
import type { Path } from '../../settings/source-tree.js';

type Written = string | number | undefined;

export function expectations(
  input: readonly ExpectationInput[],
  load: readonly LoadSection[],
  located: Located,
): readonly Expectation[] {
  const loads = load.map(({ name }) => name);
  return input.map((written, index) => {
    const path = ['expect', index];
    if (written.load !== undefined && !loads.includes(written.load)) {
      throw located.errorAt([...path, 'load'], unknownName('load', written.load, loads));
    }
    return expectation(written, path, located);
  });
}

function expectation(written: ExpectationInput, path: Path, located: Located): Expectation {
  const { metric, priority = null, load = null, flow = null, device = null, port = null } = written;
  checkBounds(written, path, located);
  const bound = (key: 'min' | 'max'): number | null =>
    boundOf(metric, written[key], [...path, key], located);
  const [min, max] = [bound('min'), bound('max')];
  if (min !== null && max !== null && min > max) {
    throw located.errorAt([...path, 'min'], 'min is above max: nothing can be both');
  }
  const equals =
    metric === 'digest'
      ? digestOf(written.equals, [...path, 'equals'], located)
      : boundOf(metric, written.equals, [...path, 'equals'], located);
  return { metric, priority, load, flow, device, port, min, max, equals };
}

function checkBounds(written: ExpectationInput, path: Path, located: Located): void {
  const { metric, min, max, equals } = written;
  const isRange = min !== undefined || max !== undefined;
  if (metric === 'digest' && isRange) {
    throw located.errorAt(path, 'a digest has no min or max: give equals');
  }
  if (!isRange && equals === undefined) {
    throw located.errorAt(path, 'nothing is expected: give min, max or equals');
  }
  if (isRange && equals !== undefined) {
    throw located.errorAt([...path, 'equals'], 'both equals and a range: give one of them');
  }
}

function boundOf(metric: string, value: Written, path: Path, located: Located): number | null {
  if (value === undefined) return null;
  const unit = boundUnitOf(metric);
  if (typeof unit === 'string') {
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
    throw located.errorAt(path, `not a number: ${show(value)}; ${metric} has no unit`);
  }
  try {
    return unit.parse(value);
  } catch (error) {
    if (error instanceof QuantityError) throw located.errorAt(path, error.message);
    throw error;
  }
}

function digestOf(value: Written, path: Path, located: Located): string {
  if (typeof value === 'string' && /^[0-9a-fA-F]+$/.test(value)) return value.toLowerCase();
  const hint = typeof value === 'number' ? '; put it in quotes' : '';
  throw located.errorAt(path, `not a digest: ${show(value)}; write hexadecimal digits${hint}`);
}
