/** `nic` of the file -> Nic82599Section: names of registers resolved, values in their ranges. */

import { PS_PER_US } from '../../engine/units/time.js';
import { RECEIVE_SPLITS } from '../../engine/nic-82599/packet-buffers.js';
import { fieldOf } from '../../engine/nic-82599/register-file.js';
import type { RegisterTrace, TracedValue } from '../../engine/nic-82599/register-trace.js';
import { registerTrace } from '../../engine/nic-82599/register-trace.js';
import { C_TAG, packTci } from '../../engine/nic-82599/vlan.js';
import type { RegisterField, RegisterName } from '../../engine/nic-82599/register-map.js';
import { REGISTER_NAMES, registerKind } from '../../engine/nic-82599/register-map.js';
import { didYouMean, show, unknownName } from '../../settings/errors.js';
import type {
  BandwidthSection,
  FieldValue,
  Nic82599Section,
  PoolSection,
  RingSection,
  WatermarkSection,
} from './section.js';
import type { NicInput } from './settings.js';
import type { NicSource } from '../nic-context.js';
import type { Path } from '../../settings/source-tree.js';

/** DRIFT_INT has 15 bits. */
const LONGEST_DRIFT_US = 32_767;
const REGISTER = /^([A-Z0-9_]+)(?:\[([0-9]{1,3})\])?(?:\.([A-Z0-9_]+))?$/;
/** Only one part of the receive memory is in use when DCB is off. */
const UNDIVIDED = '1x512';

/** Null for the plain NIC. */
export function nicSection(
  input: NicInput,
  path: Path,
  located: NicSource,
): Nic82599Section | null {
  if (input.model === undefined) {
    throw located.errorAt([...path, 'model'], 'missing; write plain or 82599');
  }
  if (input.model === 'plain') return null;
  const { vlan, pcie } = input;
  if (vlan.insertedType !== C_TAG) {
    const message = 'tags that the part inserts have the EtherType 0x8100 (33024) on the wire';
    throw located.errorAt([...path, 'vlan', 'insertedType'], message);
  }
  const trace = input.trace === undefined ? NO_TRACE : traceOf(input.trace, path, located);
  const fromTrace = (value: TracedValue): FieldValue => ({
    ...value,
    path: [...path, 'trace'],
    field: null,
  });
  const wanted = input.dcb ? (input.tcs === 8 ? '8x64' : '4x128') : UNDIVIDED;
  return {
    path,
    dcb: input.dcb,
    // The note in 7.7.1: with DCB all is tagged but control frames. A tag alone is outer in
    // double mode, where it would say nothing.
    sendsPriorityTags: input.dcb && !vlan.double,
    classes: input.tcs,
    pcie: {
      rateBps: pcie.rate ?? null,
      latencyPs: pcie.latency ?? null,
      reads: pcie.reads ?? null,
    },
    secondPortOf: input.secondPortOf ?? null,
    largestFrameBytes: input.largestFrame ?? null,
    bandwidth: input.bandwidth ? bandwidthSection(input, path, located) : null,
    vmWeights: input.vms,
    rates: rateSections(input, path, located),
    memoryWindowKb: input.memoryWindow,
    drift: input.drift ? driftSection(input.drift, path, located) : null,
    receiveKb: receiveSection(input.receive ?? wanted),
    receiveRings: ringSection(input, path, located),
    watermarks: watermarkSections(input.watermarks, path, located),
    watermarkRule: input.watermarks === 'auto' ? 'auto' : 'driver',
    vlan: {
      double: vlan.double,
      outerType: vlan.outerType,
      innerType: vlan.innerType,
      insertedType: vlan.insertedType,
      untagged: vlan.untagged,
    },
    vmSwitch: input.vmSwitch,
    pools: Object.entries(input.pools).map(
      ([pool, { vlans, antiSpoof, strip, insert, software, drop }]): PoolSection => ({
        pool: Number(pool),
        softwarePs: software ?? null,
        drop: drop ?? null,
        vlans,
        antiSpoof,
        strip,
        insert: insert === undefined ? null : tagOf(insert),
      }),
    ),
    ignoredWrites: trace.ignored,
    registers: [
      ...trace.registers.map(fromTrace),
      ...fieldValues(input.regs, [...path, 'regs'], false, located),
    ],
    writes: [
      ...trace.writes.map(({ atPs, values }) => ({ atPs, values: values.map(fromTrace) })),
      ...input.writes.map(({ at, regs }, i) => ({
        atPs: at,
        values: fieldValues(regs, [...path, 'writes', i, 'regs'], true, located),
      })),
    ].sort((a, b) => a.atPs - b.atPs),
  };
}

/** Control information of the tag of a pool (PFVMVIR): a VLAN alone has priority 0. */
function tagOf(insert: NonNullable<NicInput['pools'][string]['insert']>): number {
  if (typeof insert === 'number') return insert;
  const { vlan, priority, dei } = insert;
  return packTci(priority, dei, vlan);
}

const NO_TRACE: RegisterTrace = { registers: [], writes: [], ignored: [] };

function traceOf(name: string, path: Path, located: NicSource): RegisterTrace {
  const { writes, fail } = located.tracedWrites([...path, 'trace'], name);
  return registerTrace(
    writes,
    (value, whileRunning, reject) => {
      checkValue({ ...value, field: null }, whileRunning, reject);
    },
    fail,
  );
}

/** One rate for a queue: of a virtual machine and class, or of a pool without DCB. */
function rateSections(
  { rates, dcb }: NicInput,
  path: Path,
  located: NicSource,
): Nic82599Section['rates'] {
  rates.forEach(({ vm, tc }, i) => {
    const at = [...path, 'rates', i];
    if (!dcb && tc > 0) {
      throw located.errorAt([...at, 'tc'], `without dcb a pool has one rate and no class ${tc}`);
    }
    const first = rates.findIndex((other) => other.vm === vm && other.tc === tc);
    if (first === i) return;
    const queue = dcb ? `class ${tc} of virtual machine ${vm}` : `pool ${vm}`;
    throw located.errorAt(at, `${queue} has a rate already (rates[${first}]); leave one out`);
  });
  return rates.map(({ vm, tc, rate }) => ({ vm, tc, bps: rate }));
}

function bandwidthSection(
  { bandwidth, tcs }: NicInput,
  path: Path,
  located: NicSource,
): BandwidthSection {
  const { groups, classes } = bandwidth!;
  const at = [...path, 'bandwidth'];
  const beyond = Object.keys(classes).find((tc) => Number(tc) >= tcs);
  if (beyond !== undefined) {
    const message = `there is no class ${beyond}: tcs is ${tcs}, so 0 to ${tcs - 1}`;
    throw located.errorAt([...at, 'classes', beyond], message);
  }
  const wholePercent = (share: number, keys: Path): number => {
    const percent = Math.round(share * 100);
    if (Math.abs(percent - share * 100) < 1e-9) return percent;
    throw located.errorAt([...at, ...keys], `not a whole percentage: ${share * 100}%`);
  };
  const ofLink = Array.from({ length: 8 }, (_, g) =>
    wholePercent(groups[String(g)] ?? 0, ['groups', String(g)]),
  );
  const total = ofLink.reduce((sum, percent) => sum + percent, 0);
  // Shares are ratios to the part: it would divide the whole link by them. Classes with
  // strict: link have no group's share.
  if (total !== 0 && total !== 100) {
    const message = `the groups have ${total}% of the link together, not 100%`;
    throw located.errorAt([...at, 'groups'], message);
  }
  const named = Object.values(classes).map(({ group }) => group);
  const spare = [7, 6, 5, 4, 3, 2, 1, 0].find((g) => ofLink[g] === 0 && !named.includes(g)) ?? 7;
  checkGroups({ groups: ofLink, classes, at, located });
  return {
    groups: ofLink,
    classes: Array.from({ length: 8 }, (_, tc) => {
      const own = classes[String(tc)];
      // Classes that the file does not name have no share of another's group.
      if (own === undefined) return { group: spare, percent: 0, strict: 'no' };
      const percent = wholePercent(own.share, ['classes', String(tc), 'share']);
      return { group: own.group, percent, strict: own.strict };
    }),
  };
}

/** Shares of a group sum to 100, and a class with a share has a group with a share. */
function checkGroups({
  groups,
  classes,
  at,
  located,
}: {
  readonly groups: readonly number[];
  readonly classes: NonNullable<NicInput['bandwidth']>['classes'];
  readonly at: Path;
  readonly located: NicSource;
}): void {
  const entries = Object.entries(classes);
  for (const [tc, { strict, share: own, group }] of entries) {
    const place = [...at, 'classes', tc];
    if (strict === 'link' && own > 0) {
      const message = 'a class with strict: link is unlimited and has no share; leave it out';
      throw located.errorAt([...place, 'share'], message);
    }
    if (own > 0 && groups[group] === 0) {
      const message = `group ${group} has no share of the link; give it one (groups)`;
      throw located.errorAt([...place, 'group'], message);
    }
  }
  groups.forEach((_, group) => {
    const members = entries.filter(([, own]) => own.group === group && own.strict !== 'link');
    const percent = Math.round(members.reduce((sum, [, own]) => sum + 100 * own.share, 0));
    if (members.length === 0 || percent === 100) return;
    const names = members.map(([tc]) => tc).join(', ');
    const message = `classes ${names} have ${percent}% of group ${group} together, not 100%`;
    throw located.errorAt([...at, 'classes', members[0][0]], message);
  });
}

function driftSection(
  { every, by }: NonNullable<NicInput['drift']>,
  path: Path,
  located: NicSource,
): Nic82599Section['drift'] {
  const everyUs = every / PS_PER_US;
  if (!Number.isInteger(everyUs) || everyUs > LONGEST_DRIFT_US) {
    const message = `not whole microseconds up to ${LONGEST_DRIFT_US}us (DRIFT_INT): ${everyUs}us`;
    throw located.errorAt([...path, 'drift', 'every'], message);
  }
  return { everyUs, share: by };
}

function receiveSection(receive: string | readonly number[]): readonly number[] {
  const sizes = typeof receive === 'string' ? RECEIVE_SPLITS[receive] : receive;
  return Array.from({ length: 8 }, (_, tc) => sizes[tc] ?? 0);
}

function ringSection(
  { receiveRings, pools }: NicInput,
  path: Path,
  located: NicSource,
): RingSection | null {
  if (receiveRings === undefined) {
    const [pool, asks] =
      Object.entries(pools).find(([, { software, drop }]) => software ?? drop) ?? [];
    if (asks === undefined) return null;
    const message = 'receive descriptors are not counted; write receiveRings: {} beside pools';
    throw located.errorAt([...path, 'pools', pool!], message);
  }
  const { descriptors, software, drop, headerSplit } = receiveRings;
  if (descriptors % 8 !== 0) {
    const message = `descriptors come in eights (RDLEN): ${descriptors}`;
    throw located.errorAt([...path, 'receiveRings', 'descriptors'], message);
  }
  return { descriptors, softwarePs: software, drop, headerSplit };
}

function watermarkSections(
  input: NicInput['watermarks'],
  path: Path,
  located: NicSource,
): (WatermarkSection | null)[] {
  return Array.from({ length: 8 }, (_, tc) => {
    const own = typeof input === 'string' ? undefined : input[String(tc)];
    if (own === undefined) return null;
    if (own.low <= own.high) return { highKb: own.high, lowKb: own.low };
    const at = [...path, 'watermarks', String(tc), 'low'];
    throw located.errorAt(at, `the low mark ${own.low} KB is above the high mark ${own.high} KB`);
  });
}

function fieldValues(
  input: NicInput['regs'],
  path: Path,
  whileRunning: boolean,
  located: NicSource,
): FieldValue[] {
  return Object.entries(input).flatMap(([name, written]) => {
    const values: [name: string, at: Path, value: number][] =
      typeof written === 'object'
        ? Object.entries(written).map(([field, value]) => [
            `${name}.${field}`,
            [...path, name, field],
            Number(value),
          ])
        : [[name, [...path, name], Number(written)]];
    return values.map(([full, at, value]): FieldValue => {
      const reject = (message: string): Error => located.errorAt(at, message);
      const fieldValue = { ...registerPlace(full, reject), path: at, value };
      checkValue(fieldValue, whileRunning, reject);
      return fieldValue;
    });
  });
}

/** The register that a name such as RTTPT2C[3].CRQ refers to. */
export function registerPlace(
  name: string,
  reject: (message: string) => Error,
): Omit<FieldValue, 'value' | 'path'> {
  const [, register = '', index, field = null] = REGISTER.exec(name) ?? [];
  if (register === 'RTTDQSEL') {
    throw reject(
      `${name}: registers of queues are written by their number, such as RTTDT1C[5].CRQ`,
    );
  }
  if (!REGISTER_NAMES.includes(register as RegisterName)) {
    const hint = didYouMean(register, REGISTER_NAMES);
    throw reject(`unknown register: ${show(name)}; write one such as RTTPT2C[3].CRQ${hint}`);
  }
  const known = register as RegisterName;
  const { count, fields } = registerKind(known);
  if (Number(index ?? 0) >= count || (index === undefined) !== (count === 1)) {
    const range = count === 1 ? 'no index' : `an index 0 to ${count - 1}`;
    throw reject(`${name}: ${register} has ${range}`);
  }
  if (field !== null && !Object.hasOwn(fields, field)) {
    throw reject(unknownName(`field of ${register}`, field, Object.keys(fields)));
  }
  return { register: known, index: Number(index ?? 0), field };
}

function checkValue(
  { register, field, value }: Omit<FieldValue, 'path'>,
  whileRunning: boolean,
  reject: (message: string) => Error,
): void {
  const kind = registerKind(register);
  if (kind.status) throw reject(`${register} is read only`);
  if (whileRunning && !kind.live) {
    throw reject(`${register} is set before the part runs; write it under regs`);
  }
  if (field !== null) checkField(field, kind.fields[field], value, reject);
  else if (value !== 0) {
    checkUndefinedBits(register, value, reject);
    // The whole of a register may be cleared, as it is after a reset.
    for (const [name, own] of Object.entries(kind.fields)) {
      checkField(name, own, fieldOf(kind, name, value), reject);
    }
  }
}

/** Bits without a field here would be stored and change nothing. */
function checkUndefinedBits(
  register: RegisterName,
  value: number,
  reject: (message: string) => Error,
): void {
  const { fields } = registerKind(register);
  const places = Object.values(fields);
  const isDefined = (bit: number): boolean =>
    places.some(({ low, bits }) => bit >= low && bit < low + bits);
  const undefinedBits = Array.from({ length: 32 }, (_, bit) => bit).filter(
    (bit) => !isDefined(bit) && Math.floor(value / 2 ** bit) % 2 === 1,
  );
  if (undefinedBits.length === 0) return;
  const names = Object.entries(fields).map(([name, { low, bits }]) =>
    bits === 1 ? `${low} ${name}` : `${low + bits - 1}:${low} ${name}`,
  );
  const bits = undefinedBits.join(', ');
  throw reject(`${register} has no bit ${bits} in the emulation; it has ${names.join(', ')}`);
}

function checkField(
  name: string,
  { least, most, limit, bits }: RegisterField,
  value: number,
  reject: (message: string) => Error,
): void {
  if (value >= least && value <= most) return;
  const allowed = limit === '' ? `0 to ${most}: it has ${bits} bits` : limit;
  throw reject(`${name} out of range: ${value}; ${allowed}`);
}
