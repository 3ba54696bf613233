import type { EventLog, EventRow } from '../../engine/analysis/events/event-recorder.js';
import { EVENTS, FIRST_STEP } from '../../engine/analysis/events/event-recorder.js';
import { DROP_REASONS } from '../../engine/contract/probe.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { faultTimes } from '../congestion/fault-times.js';
import { FlowsByFrame } from '../../fabric/assembly/flows-by-frame.js';

/** An event with names; null for fields that do not apply. */
export interface TimedEvent {
  readonly timePs: number;
  readonly event: (typeof EVENTS)[number] | keyof typeof FAULT_EVENTS;
  readonly device: string;
  readonly port: string | null;
  readonly priority: number | null;
  /** Number of its flow. */
  readonly flow: number | null;
  /** Why a frame was dropped; the name of a fault. */
  readonly reason: string | null;
  /** Of an account: its channel; of a delivery: its message; of an LED: its number. */
  readonly detail: number | null;
  /** Of a step of the exchange: the total of a message, or what a frame takes. */
  readonly units: number | null;
  /** Of a step: the port at the other end of the link. */
  readonly partner: string | null;
}

/** Of faults, which follow from the scenario. */
export const FAULT_EVENTS = {
  'fault-began': 'a declared or injected fault is active at a port from now on',
  'fault-ended': 'it is over',
} as const;

/** Events of all devices in the order of time; at one time, in that of the devices. */
export function eventsOf(fabric: Fabric, logs: readonly EventLog[], nowPs: number): TimedEvent[] {
  const flows = new FlowsByFrame(fabric);
  const all = logs.flatMap((log, device) =>
    log.rows().map((row) => named(fabric, flows, device, row)),
  );
  return [...faultEvents(fabric, nowPs), ...all].sort((a, b) => a.timePs - b.timePs);
}

function faultEvents(fabric: Fabric, nowPs: number): TimedEvent[] {
  return faultTimes(fabric, nowPs).flatMap(({ name, device, port, spells }) => {
    const at = (timePs: number, event: keyof typeof FAULT_EVENTS): TimedEvent => ({
      ...{ timePs, event, device: fabric.topology.devices[device]!.name },
      ...{ port: fabric.linkEnds[device]![port]!.name, priority: null, flow: null, reason: name },
      ...{ detail: null, units: null, partner: null },
    });
    return spells.flatMap(({ beginPs, endPs }) => [
      at(beginPs, 'fault-began'),
      ...(endPs > nowPs ? [] : [at(endPs, 'fault-ended')]),
    ]);
  });
}

function named(fabric: Fabric, flows: FlowsByFrame, device: number, row: EventRow): TimedEvent {
  const event = EVENTS[row.event]!;
  const isDrop = event === 'drop';
  const flow =
    row.source < 0 ? row.flow : flows.ofData(row.source, row.target, row.connection)?.flow;
  return {
    timePs: row.timePs,
    event,
    device: fabric.topology.devices[device]!.name,
    port: row.port < 0 ? null : fabric.linkEnds[device]![row.port]!.name,
    priority: known(row.priority),
    flow: known(flow ?? -1),
    reason: isDrop ? DROP_REASONS[row.detail]! : null,
    detail: isDrop ? null : known(row.detail),
    units: row.event < FIRST_STEP ? null : row.connection,
    partner: row.event < FIRST_STEP ? null : partnerOf(fabric, device, row.port),
  };
}

function partnerOf({ linkEnds }: Fabric, device: number, port: number): string {
  const { peerDevice, peerPort } = linkEnds[device]![port]!;
  return linkEnds[peerDevice]![peerPort]!.name;
}

function known(value: number): number | null {
  return value < 0 ? null : value;
}
