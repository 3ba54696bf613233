import type { Engine } from '../../engine/device/engine.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { WatchdogResult } from './results.js';

/** Storms that PFC watchdogs detected, port by port; only of those that acted. */
export function watchdogResults(fabric: Fabric, engine: Engine, nowPs: number): WatchdogResult[] {
  const { watchdog } = engine.pfc;
  return fabric.specs.flatMap(({ ports }, device) =>
    ports.flatMap(({ name, pfc }, p) => {
      const port = engine.devices[device]!.firstPort + p;
      const { peerDevice, peerPort } = fabric.linkEnds[device]![p]!;
      return (pfc?.watchdog ?? []).flatMap((spec, priority) => {
        const storms = watchdog.stormsOf(port, priority);
        if (spec === null || storms === 0) return [];
        return {
          port: name,
          peer: fabric.linkEnds[peerDevice]![peerPort]!.name,
          priority,
          action: spec.action,
          storms,
          stormPs: watchdog.stormPs(port, priority, nowPs),
          droppedFrames: watchdog.droppedOf(port, priority),
        };
      });
    }),
  );
}
