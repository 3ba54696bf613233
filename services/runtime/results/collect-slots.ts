import type { Engine } from '../../engine/device/engine.js';
import type { SlottedSwitch } from '../../engine/device/shared.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { SlotPortResult, SlotResult } from './results.js';

/** Frame data buffers: contents of each region. */
export function slotResults(engine: Engine): SlotResult[] {
  return chipsOf(engine).flatMap(({ device, chip }) => {
    const regions = chip.regions().filter(({ slots }) => slots > 0);
    return regions.map((region) => ({ device, ...region }));
  });
}

/** Ports of switches with a frame data buffer: pauses, downgrades and drops. */
export function slotPortResults(engine: Engine, fabric: Fabric, nowPs: number): SlotPortResult[] {
  return chipsOf(engine).flatMap(({ place, chip }) => {
    const { spec, memory, counters } = chip;
    return spec.flowControl.map((flowControl, port): SlotPortResult => {
      const margin = fabric.slotMargins.find((m) => m.device === place && m.port === port);
      return {
        port: fabric.linkEnds[place]![port]!.name,
        flowControl,
        sourceSlots: spec.sourceSlots,
        peakSlots: memory.peakBySource[port]!,
        xoffSlots: margin?.xoffSlots ?? null,
        headroomSlots: margin?.headroomSlots ?? null,
        neededSlots: margin?.neededSlots ?? null,
        xoffs: counters.xoffs[port]!,
        xons: counters.xons[port]!,
        peerPausedPs: counters.pausedUntil(port, nowPs),
        downgradedFrames: counters.downgraded[port]!,
        framesWithoutSlot: counters.withoutSlot[port]!,
        wredDrops: counters.wredDrops[port]!,
      };
    });
  });
}

function chipsOf(
  engine: Engine,
): { readonly device: string; readonly place: number; readonly chip: SlottedSwitch['chip'] }[] {
  return engine.devices.flatMap(({ spec, place }) => {
    if (spec.kind !== 'switch') return [];
    const { chip } = engine.switching.parts(place);
    return chip === null ? [] : [{ device: spec.name, place, chip }];
  });
}
