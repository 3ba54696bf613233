/** `faults` of the file -> faults with every key that their kind needs and no other. */

import { listed, show } from '../../settings/errors.js';
import type { Path } from '../../settings/source-tree.js';
import { FAULT_KINDS } from '../faults/registry.js';
import type { FaultSection } from './fault-section.js';
import type { Located } from './located.js';
import { placeFrom } from './place.js';
import type { FaultInput } from './schema-faults.js';
import { COMMON_KEYS, FAULT_KEYS } from './schema-faults.js';

export function faultSections(
  input: readonly FaultInput[],
  durationPs: number | null,
  located: Located,
): readonly FaultSection[] {
  const sections = input.map((fault, index) => {
    const path = ['faults', index];
    checkKeys(fault, path, located);
    checkTimes(fault, durationPs, path, located);
    return section(fault, index);
  });
  sections.forEach(({ name }, index) => {
    if (sections.findIndex((other) => other.name === name) < index) {
      throw located.errorAt(['faults', index], `two faults of the same name: ${show(name)}`);
    }
  });
  return sections;
}

function section(input: FaultInput, index: number): FaultSection {
  const name = input.name ?? `fault${index + 1}`;
  const { where } = input;
  return {
    name,
    kind: input.kind,
    where: { ...placeFrom(where), probability: where.probability ?? 1 },
    startPs: input.at,
    forPs: input.for ?? Infinity,
    everyPs: input.every ?? Infinity,
    times: input.times ?? Infinity,
    untilPs: input.until ?? Infinity,
    random: input.random,
    stream: input.stream ?? name,
    recoverPs: input.recover ?? null,
    given: givenTo(input),
  };
}

/** Keys of its kind. */
function givenTo(input: FaultInput): Readonly<Record<string, unknown>> {
  const own = Object.entries(input).filter(([key]) => !COMMON_KEYS.includes(key));
  return Object.fromEntries(own);
}

function checkKeys(input: FaultInput, path: Path, located: Located): void {
  const { must, may } = FAULT_KEYS[input.kind]!;
  const allowed = [...must, ...may];
  for (const key of Object.keys(input)) {
    if (COMMON_KEYS.includes(key) || allowed.includes(key)) continue;
    const own = allowed.filter((name) => !COMMON_KEYS.includes(name));
    throw located.errorAtKey(
      [...path, key],
      `${key} means nothing to ${input.kind}; its own keys: ${listed(own)}`,
    );
  }
  const missing = must.find((key) => !located.has([...path, key]));
  if (missing !== undefined) {
    throw located.errorAt(path, `${input.kind} needs ${missing}`);
  }
  FAULT_KINDS.get(input.kind)!.check?.(givenTo(input), {
    has: (key) => located.has([...path, key]),
    error: (message, key) => located.errorAt(key === undefined ? path : [...path, key], message),
    errorAtKey: (key, message) => located.errorAtKey([...path, key], message),
  });
}

function checkTimes(
  input: FaultInput,
  durationPs: number | null,
  path: Path,
  located: Located,
): void {
  const { at, for: lasts, every, times, random } = input;
  if (durationPs !== null && at >= durationPs) {
    throw located.errorAt([...path, 'at'], 'it begins after the end of the run (duration)');
  }
  if (every !== undefined && lasts === undefined) {
    throw located.errorAt([...path, 'every'], 'it never ends, so it cannot come again: give for');
  }
  if (!random && every !== undefined && every <= lasts!) {
    const message = 'it lasts as long as it takes to come again: every must be longer than for';
    throw located.errorAt([...path, 'every'], message);
  }
  if (times !== undefined && every === undefined) {
    throw located.errorAt([...path, 'times'], 'times needs every: how long until it comes again');
  }
  if (random && lasts === undefined) {
    throw located.errorAt([...path, 'random'], 'random needs for, and every if it comes again');
  }
  if (input.recover !== undefined && lasts === undefined && input.until === undefined) {
    throw located.errorAt([...path, 'recover'], 'it never ends, so nothing recovers: give for');
  }
}
