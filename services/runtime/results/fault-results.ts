import type { FaultEffect } from '../../engine/contract/fault.js';
import { DROP, DROP_REASONS } from '../../engine/contract/probe.js';
import type { Engine } from '../../engine/device/engine.js';
import { PRIORITY_NUMBERS } from '../../engine/units/ethernet.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { portsOfFlow } from '../../telemetry/congestion/flow-paths.js';
import { type FaultAtPort, faultTimes } from '../../telemetry/congestion/fault-times.js';
import type { FaultResult } from './results.js';

const PORTS_NAMED = 64;
const SPELLS_LISTED = 256;

/** Why frames that an effect hits are dropped, where all of them are. */
const DROPS: Partial<Record<FaultEffect['kind'], number>> = {
  down: DROP.LINK_DOWN,
  loss: DROP.LOST_ON_LINK,
  'bit-errors': DROP.FCS_ERROR,
};

/** Drops at a port that nothing but this effect causes. */
const DROPS_AT_PORT: Partial<Record<FaultEffect['kind'], number>> = {
  flush: DROP.DEVICE_RESET,
  read: DROP.NOT_READ,
};

/** What each declared and injected fault did. */
export function faultResults(fabric: Fabric, engine: Engine, nowPs: number): FaultResult[] {
  const { faults: sections } = fabric.scenario;
  if (sections.length === 0) return [];
  const times = faultTimes(fabric, nowPs);
  const touched = touchedFlows(fabric, times, nowPs);
  const results = sections.map(({ name, kind }, fault) => {
    const own = times.filter((one) => one.fault === fault);
    return {
      ...{ fault: name, kind, at: placesOf(fabric, own), spells: spellsOf(own, nowPs) },
      ...{ ports: 0, times: 0, activePs: 0, hits: 0, withheld: 0, overflows: 0 },
      drops: noDrops(),
      flows: touched[fault]!,
    };
  });
  const dropsAt = (port: number, reason: number): number =>
    PRIORITY_NUMBERS.reduce(
      (sum, priority) => sum + engine.shared.counters.drops(port, priority, reason),
      0,
    );
  for (let port = 0; port < engine.shared.ports.count; port++) {
    const overflows = dropsAt(port, DROP.OVERFLOW_BY_FAULT);
    for (const counts of engine.faults.counts(port, nowPs)) {
      const { fault, effect, begun, hits, withheld, activePs } = counts;
      const result = results[fault]!;
      result.ports++;
      result.times = Math.max(result.times, begun);
      result.activePs = Math.max(result.activePs, activePs);
      result.hits += hits;
      result.withheld += withheld;
      if (begun === 0) continue;
      result.overflows += overflows;
      const [reason, atPort] = [DROPS[effect], DROPS_AT_PORT[effect]];
      if (reason !== undefined) addDrops(result.drops, reason, hits);
      if (atPort !== undefined) addDrops(result.drops, atPort, dropsAt(port, atPort));
    }
  }
  return results;
}

function noDrops(): Record<string, number> {
  return {};
}

function addDrops(drops: Record<string, number>, reason: number, frames: number): void {
  if (frames === 0) return;
  const name = DROP_REASONS[reason]!;
  drops[name] = (drops[name] ?? 0) + frames;
}

function placesOf({ linkEnds }: Fabric, own: readonly FaultAtPort[]): string[] {
  const names = own.map(({ device, port }) => linkEnds[device]![port]!.name);
  return [...new Set(names)].slice(0, PORTS_NAMED);
}

/** Those of all its ports, each once. */
function spellsOf(own: readonly FaultAtPort[], nowPs: number): FaultResult['spells'] {
  const all = new Map<string, { startPs: number; endPs: number | null }>();
  for (const { spells } of own) {
    for (const { beginPs: startPs, endPs } of spells) {
      all.set(`${startPs} ${endPs}`, { startPs, endPs: endPs > nowPs ? null : endPs });
    }
  }
  const inOrder = [...all.values()].sort((a, b) => a.startPs - b.startPs);
  return inOrder.slice(0, SPELLS_LISTED);
}

/** By fault: how many flows may pass one of its ports, either way, while it is active. */
function touchedFlows(fabric: Fabric, times: readonly FaultAtPort[], nowPs: number): number[] {
  const { flows, linkEnds, scenario } = fabric;
  const places = scenario.faults.map(() => new Map<string, FaultAtPort>());
  for (const one of times) {
    const end = linkEnds[one.device]![one.port]!;
    const { name: peer } = linkEnds[end.peerDevice]![end.peerPort]!;
    places[one.fault]!.set(end.name, one).set(peer, one);
  }
  const counts = scenario.faults.map(() => 0);
  flows.forEach(({ startPs }, flow) => {
    const ports = portsOfFlow(fabric, flow);
    places.forEach((own, fault) => {
      for (const port of ports) {
        const spells = own.get(port)?.spells ?? [];
        if (!spells.some(({ beginPs, endPs }) => endPs > startPs && beginPs < nowPs)) continue;
        counts[fault]!++;
        break;
      }
    });
  });
  return counts;
}
