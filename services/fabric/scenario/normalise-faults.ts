/** `faults` of the file -> faults with every key that their kind needs and no other. */

import { ALL_PRIORITIES } from '../../engine/units/ethernet.js';
import { ORDERED_SET_OCTETS } from '../../engine/wire/ordered-set.js';
import { MESSAGE_TEMPLATES } from '../../mechanisms/registry.js';
import { listed, show } from '../../settings/errors.js';
import type { FaultSection } from './fault-section.js';
import { placeFrom } from './place.js';
import type { Located } from './located.js';
import type { FaultInput } from './schema-faults.js';
import { COMMON_KEYS, FAULT_KEYS } from './schema-faults.js';
import type { Path } from '../../settings/source-tree.js';

/** Control frames of a link: MAC control, LLDP, and the two CE-TAGs; in hexadecimal. */
const LINK_TYPES = ['8808', '88cc', '88b5', '88b6'];
/** Congestion messages that cross the fabric, of their own type or on IP; and their tags. */
const MESSAGE_TYPES = ['89a2', '22e7', '22e9', '0800', '86dd', '8100', '88a8'];
/** Digits before it. */
const TYPE_AT = 24;

/** 802.3 Annex 31B: the longest time of a frame. */
const LONGEST_QUANTA = 65_535;

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
  const { where, priority } = input;
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
    priorities: priorityMask(priority),
    named: priority !== undefined,
    probability: input.probability ?? 1,
    errorRate: input.errorRate ?? 0,
    frames: input.frames ?? 'any',
    action: input.action ?? 'lose',
    delayPs: input.delay ?? 0,
    jitterPs: input.jitter ?? 0,
    rateBps: input.rate ?? 0,
    intervalPs: input.interval ?? Infinity,
    quanta: input.quanta ?? LONGEST_QUANTA,
    octets: [...Buffer.from(input.octets ?? '', 'hex')],
    to: input.to ?? null,
    source: input.source ?? null,
    pausePs: input.pause ?? null,
    bytes: input.size ?? 0,
    table: input.table ?? 'mac',
    entries: input.entries ?? 0,
    ppm: input.ppm ?? 0,
    classes: input.classes ?? [],
    swap: input.swap ?? [],
  };
}

function priorityMask(priority: FaultInput['priority']): number {
  if (priority === undefined) return ALL_PRIORITIES;
  const all = typeof priority === 'number' ? [priority] : priority;
  return all.reduce((mask, p) => mask | (1 << p), 0);
}

function checkKeys(input: FaultInput, path: Path, located: Located): void {
  const { must, may } = FAULT_KEYS[input.kind];
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
  checkForged(input, path, located);
  if (input.kind === 'mis-cabling') checkCabling(path, located);
  if (input.kind === 'control' && (input.action === 'delay') !== (input.delay !== undefined)) {
    const message = 'action: delay needs delay, and no other action has it';
    throw located.errorAt(path, message);
  }
}

/** A frame is spoofed by its octets, or composed by its name and destination. */
function checkForged(input: FaultInput, path: Path, located: Located): void {
  const { kind, octets, frames, to, source, pause, priority } = input;
  if (kind !== 'forge') return;
  if ((octets === undefined) === (frames === undefined)) {
    throw located.errorAt(path, 'forge needs one of octets and frames');
  }
  if (octets !== undefined) {
    const others = { to, source, pause, priority };
    const strange = Object.entries(others).find(([, given]) => given !== undefined);
    if (strange !== undefined) {
      throw located.errorAtKey([...path, strange[0]], `octets say all: no ${strange[0]}`);
    }
    checkType(octets, path, located);
    return;
  }
  const template = MESSAGE_TEMPLATES.find((own) => own.frames === frames);
  if (template === undefined) {
    const named = listed(MESSAGE_TEMPLATES.map((own) => own.frames));
    const message = `${frames!} cannot be forged by its name: ${named} can; give octets`;
    throw located.errorAt([...path, 'frames'], message);
  }
  if (to === undefined)
    throw located.errorAt(path, `a forged ${frames!} needs to: the host that receives it`);
  const strange = (['source', 'pause'] as const).find(
    (key) => located.has([...path, key]) && !template.keys.includes(key),
  );
  if (strange !== undefined) {
    throw located.errorAtKey([...path, strange], `${strange} means nothing to ${frames!}`);
  }
}

function checkType(octets: string, path: Path, located: Located): void {
  // An ordered set has none, and any of its octets may be wrong.
  if (octets.length === 2 * ORDERED_SET_OCTETS) return;
  const type = octets.slice(TYPE_AT, TYPE_AT + 4).toLowerCase();
  const known = [...LINK_TYPES, ...MESSAGE_TYPES];
  if (known.includes(type)) return;
  const message = `the EtherType is ${type}; control frames have one of ` + listed(known);
  throw located.errorAt([...path, 'octets'], message);
}

function checkCabling(path: Path, located: Located): void {
  const strange = ['where', 'at', 'for', 'every', 'times', 'until', 'random', 'recover'];
  const key = strange.find((name) => located.has([...path, name]));
  if (key !== undefined) {
    const message = `${key} means nothing to mis-cabling: links are connected before the run`;
    throw located.errorAtKey([...path, key], message);
  }
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
