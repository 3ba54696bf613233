import type { SlotsSpec } from '../contract/spec.js';
import { LEAST_KEPT_CLASS, SOURCE, isDowngraded } from './machine.js';
import type { Mvtx2802 } from './mechanism.js';
import type { SlotMemory } from './slots.js';
import { MULTICAST } from './stops.js';

/** Slots are neither created nor lost: every region has, free and in use, its configured number. */
export function slotsAreConstant(spec: SlotsSpec, memory: SlotMemory): boolean {
  return memory.free.every((free, region) => free + memory.used[region] === sizeOf(spec, region));
}

/** Sum of the slots that are taken = the slots that the regions say are in use. */
export function regionsAgreeWithSlots(memory: SlotMemory): boolean {
  const taken = new Int32Array(memory.used.length);
  const bySource = new Int32Array(memory.usedBySource.length);
  for (let slot = 0; slot < memory.copies.length; slot++) {
    if (memory.copies[slot] === 0) continue;
    taken[memory.region[slot]]++;
    if (memory.region[slot] === SOURCE) bySource[memory.source[slot]]++;
  }
  return (
    taken.every((count, region) => count === memory.used[region]) &&
    bySource.every((count, source) => count === memory.usedBySource[source])
  );
}

export function sourcesKeepToTheirRegion(spec: SlotsSpec, memory: SlotMemory): boolean {
  return memory.usedBySource.every((used) => used <= spec.sourceSlots);
}

/** Downgraded frames never use a slot that is reserved for a class. */
export function classSlotsAreNotDowngraded(spec: SlotsSpec, memory: SlotMemory): boolean {
  for (let slot = 0; slot < memory.copies.length; slot++) {
    if (memory.copies[slot] === 0 || memory.region[slot] < LEAST_KEPT_CLASS) continue;
    if (isDowngraded(spec, memory.source[slot])) return false;
  }
  return true;
}

/** A managed source has a port map exactly while it is paused for multicast. */
export function portMapsStandWithTheirReason(spec: SlotsSpec, chip: Mvtx2802): boolean {
  if (spec.multicast.kind !== 'managed') return chip.stops.portMap.every((map) => map === 0);
  return chip.stops.portMap.every(
    (map, port) => (map !== 0) === ((chip.stops.reasons[port] & MULTICAST) !== 0),
  );
}

/** Xoff and Xon alternate, and a source is paused exactly while there is a reason. */
export function stopsFollowReasons({ stops, counters }: Mvtx2802): boolean {
  return stops.reasons.every(
    (reasons, port) => counters.xoffs[port] - counters.xons[port] === (reasons === 0 ? 0 : 1),
  );
}

function sizeOf(spec: SlotsSpec, region: number): number {
  if (region === SOURCE) return spec.sourceSlots * spec.flowControl.length;
  return region < LEAST_KEPT_CLASS ? spec.sharedSlots : spec.classSlots[region];
}

/** All of them, by name. */
export function brokenInvariants(spec: SlotsSpec, chip: Mvtx2802): string[] {
  const { memory } = chip;
  const all = {
    slotsAreConstant: slotsAreConstant(spec, memory),
    regionsAgreeWithSlots: regionsAgreeWithSlots(memory),
    sourcesKeepToTheirRegion: sourcesKeepToTheirRegion(spec, memory),
    classSlotsAreNotDowngraded: classSlotsAreNotDowngraded(spec, memory),
    portMapsStandWithTheirReason: portMapsStandWithTheirReason(spec, chip),
    stopsFollowReasons: stopsFollowReasons(chip),
  };
  return Object.entries(all).flatMap(([name, holds]) => (holds ? [] : [name]));
}
