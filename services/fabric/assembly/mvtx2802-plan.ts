import { headroomTerms } from '../../engine/analysis/headroom/headroom.js';
import type { Mvtx2802Spec, StopPortSpec } from '../../engine/contract/spec.js';
import {
  LEAST_XOFF_SLOTS,
  MVTX2802_MEMORIES,
  MVTX2802_PORTS,
  MVTX2802_RATES_BPS,
  MVTX2802_SLOT_OCTETS,
  MVTX2802_SOURCES,
  uncongestedBelow,
} from '../../engine/flow-control/mvtx2802/mvtx2802-managed.js';
import { PAUSE_QUANTA } from '../../engine/flow-control/pause/pause-managed.js';
import { rateOfBps } from '../../engine/units/rates.js';
import { FRAME_OCTETS_MIN, wireOctets } from '../../engine/units/ethernet.js';
import { showRate } from '../../settings/quantities.js';
import type {
  DeviceOverride,
  Mvtx2802Section,
  PortSection,
  Scenario,
} from '../scenario/scenario.js';
import type { Fail } from '../topology/cabling.js';
import type { Topology } from '../topology/topology.js';
import type { LinkEnd } from './link-ends.js';
import type { Methods } from './link-methods.js';
import type { Settings } from './settings.js';
import { placeOf } from './settings.js';

/** Whether a change speaks of it, and where that stands. */
const PLACES = {
  model: [({ model }: Change) => model, 'model'],
  cutThrough: [({ cutThrough }: Change) => cutThrough, 'cutThrough'],
  memory: [({ mvtx2802 }: Change) => mvtx2802, 'mvtx2802'],
  temporary: [({ mvtx2802 }: Change) => mvtx2802?.temporarySlots, 'mvtx2802', 'temporary'],
  source: [({ mvtx2802 }: Change) => mvtx2802?.sourceSlots, 'mvtx2802', 'source'],
  xoff: [({ mvtx2802 }: Change) => mvtx2802?.xoffSlots, 'mvtx2802', 'xoff'],
  response: [({ mvtx2802 }: Change) => mvtx2802?.responseDelayPs, 'mvtx2802', 'responseDelay'],
} as const;

type Change = DeviceOverride['switch'];

const CLASSES = [0, 1, 2, 3, 4, 5, 6, 7];
/** A standing Xoff is said again after half its time. */
const REFRESH_FRACTION = 0.5;

/** Of a flow-controlled port: its slots behind Xoff, and what the delays ask for. */
export interface SlotMargin {
  readonly device: number;
  readonly port: number;
  readonly xoffSlots: number;
  readonly headroomSlots: number;
  readonly neededSlots: number;
}

/** What the switches that are MVTX2802s, and their neighbours, need to be built. */
export class Mvtx2802Plan {
  /** Of every flow-controlled port. */
  readonly margins: SlotMargin[] = [];

  constructor(
    private readonly scenario: Scenario,
    private readonly topology: Topology,
    private readonly settings: readonly Settings[],
    private readonly linkEnds: readonly (readonly LinkEnd[])[],
    private readonly methods: readonly (readonly Methods[])[],
    private readonly longestOctets: number,
    private readonly fail: Fail,
  ) {}

  /** Null where the switch is none. */
  spec(device: number): Mvtx2802Spec | null {
    if (!this.isChip(device)) return null;
    const registers = this.registersOf(device);
    this.checkPart(device);
    this.checkLinks(device);
    const classSlots = CLASSES.map((tc) => registers.classes[tc] ?? 0);
    const sharedSlots = this.sharedSlots(device, registers, classSlots);
    const { sourceSlots, normalQos, allocationOrder, wred } = registers;
    return {
      sharedSlots,
      classSlots,
      sourceSlots,
      xoffSlots: this.linkEnds[device]!.map((end) => this.xoffSlots(end, registers)),
      flowControl: this.linkEnds[device]!.map((end) => this.hasFlowControl(end)),
      fixed: this.linkEnds[device]!.map((end) => this.portSection(end)?.fixed ?? null),
      normalQos,
      allocationOrder,
      multicast: multicastOf(registers),
      wred: {
        sum: wred.sum,
        levelOctets: wred.levels,
        thresholdOctets: CLASSES.map((tc) => wred.thresholds[tc] ?? 0),
        firstHigh: wred.firstHigh,
        secondHigh: wred.secondHigh,
        secondLow: wred.secondLow,
      },
    };
  }

  /** 802.3x at either end of a link where a port of such a switch has it; null elsewhere. */
  pause(end: LinkEnd): StopPortSpec | null {
    const peer = this.peerOf(end);
    if (!this.hasFlowControl(end) && !this.hasFlowControl(peer)) return null;
    const { device } = this.isChip(end.device) ? end : peer;
    const { responseDelayPs } = this.registersOf(device);
    return { quanta: PAUSE_QUANTA.default, refreshFraction: REFRESH_FRACTION, responseDelayPs };
  }

  isChip(device: number): boolean {
    const isSwitch = this.topology.devices[device]!.kind === 'switch';
    return isSwitch && this.settings[device]!.switch.model === 'mvtx2802';
  }

  private hasFlowControl(end: LinkEnd): boolean {
    if (!this.isChip(end.device)) return false;
    return this.portSection(end)?.flowControl ?? this.registersOf(end.device).flowControl;
  }

  private portSection({ device, port }: LinkEnd): PortSection | undefined {
    return this.settings[device]!.switch.ports.find((section) => section.port === port + 1);
  }

  private registersOf(device: number): Mvtx2802Section {
    return this.settings[device]!.switch.mvtx2802;
  }

  private peerOf(end: LinkEnd): LinkEnd {
    return this.linkEnds[end.peerDevice]![end.peerPort]!;
  }

  private nameOf(device: number): string {
    return this.topology.devices[device]!.name;
  }

  private checkPart(device: number): void {
    const ports = this.linkEnds[device]!.length;
    if (ports > MVTX2802_PORTS) {
      throw this.wrong(
        device,
        'model',
        `${this.nameOf(device)} has ${ports} ports; an MVTX2802 has ${MVTX2802_PORTS}`,
      );
    }
    if (this.settings[device]!.switch.cutThrough) {
      const message = `${this.nameOf(device)} is an MVTX2802, which stores and forwards`;
      throw this.wrong(device, 'cutThrough', message);
    }
    if (this.longestOctets > MVTX2802_SLOT_OCTETS) {
      throw this.wrong(
        device,
        'model',
        `frames of ${this.longestOctets} octets do not fit ${this.nameOf(device)}: a slot of an ` +
          `MVTX2802 has ${MVTX2802_SLOT_OCTETS}`,
      );
    }
  }

  private checkLinks(device: number): void {
    for (const end of this.linkEnds[device]!) {
      const { rateBps } = end.link;
      if (!MVTX2802_RATES_BPS.includes(rateBps)) {
        throw this.wrong(
          device,
          'model',
          `${end.name} has ${showRate(rateBps)}; ports of an MVTX2802 have ` +
            MVTX2802_RATES_BPS.map(showRate).join(', '),
        );
      }
      const method = this.methods[device]![end.port]!.find((one) => one !== 'none');
      if (method !== undefined) {
        const message = `${end.name} has ${method}; an MVTX2802 knows 802.3x only`;
        throw this.wrong(device, 'model', message);
      }
      const limitPs = rateOfBps(rateBps)!.pauseResponseLimitPs;
      if (this.registersOf(device).responseDelayPs > limitPs) {
        throw this.wrong(
          device,
          'response',
          `responseDelay too long: at most ${limitPs / 1000}ns ` +
            `(802.3 31B.3.7 at ${showRate(rateBps)})`,
        );
      }
    }
  }

  /** What all the regions leave; the CPU has a region like every port. */
  private sharedSlots(
    device: number,
    { memory, temporarySlots, sourceSlots }: Mvtx2802Section,
    classSlots: readonly number[],
  ): number {
    const name = this.nameOf(device);
    const slots = Math.floor(MVTX2802_MEMORIES[memory] / MVTX2802_SLOT_OCTETS);
    const ofClasses = classSlots.reduce((sum, count) => sum + count, 0);
    const kept = temporarySlots + ofClasses + MVTX2802_SOURCES * sourceSlots;
    if (kept > slots) {
      throw this.wrong(
        device,
        'memory',
        `impossible reservations: ${name} keeps ${kept} slots (${temporarySlots} temporary, ` +
          `${ofClasses} of classes, ${MVTX2802_SOURCES} x ${sourceSlots} of sources) and has ` +
          `${slots}`,
      );
    }
    const coming = this.framesComingIn(device);
    if (coming > temporarySlots) {
      throw this.wrong(
        device,
        'temporary',
        `temporary slots for ${temporarySlots} frames; ${coming} may be coming into ${name} at ` +
          'once, with what is in its pipeline',
      );
    }
    return slots - kept;
  }

  /** Frames that can be between their first octet and the end of the pipeline, of all ports. */
  private framesComingIn(device: number): number {
    const { pipelinePs } = this.settings[device]!.switch;
    return this.linkEnds[device]!.reduce((sum, { octetPs }) => {
      const insidePs = FRAME_OCTETS_MIN * octetPs + pipelinePs;
      return sum + Math.ceil(insidePs / (wireOctets(FRAME_OCTETS_MIN) * octetPs));
    }, 0);
  }

  private xoffSlots(end: LinkEnd, { sourceSlots, xoffSlots }: Mvtx2802Section): number {
    if (!this.hasFlowControl(end)) return sourceSlots;
    const needed = this.neededSlots(end);
    const chosen = xoffSlots ?? sourceSlots - needed;
    if (chosen > sourceSlots) {
      const message = `xoff at ${chosen} slots of a source would never come: it has ${sourceSlots}`;
      throw this.wrong(end.device, 'xoff', message);
    }
    if (chosen < LEAST_XOFF_SLOTS) {
      throw this.wrong(
        end.device,
        'source',
        `impossible xoff: after it ${end.name} needs ${needed} slots and before it ` +
          `${LEAST_XOFF_SLOTS}, and a source has ${sourceSlots}`,
      );
    }
    this.margins.push({
      device: end.device,
      port: end.port,
      xoffSlots: chosen,
      headroomSlots: sourceSlots - chosen,
      neededSlots: needed,
    });
    return chosen;
  }

  /** The shortest frames that may still come after Xoff. */
  private neededSlots(end: LinkEnd): number {
    const peerPause = this.pauseOf(this.peerOf(end));
    const terms = headroomTerms({
      octetPs: end.octetPs,
      propagationPs: end.link.propagationPs,
      interfaceDelayPs: end.link.interfaceDelayPs,
      pipelinePs: this.settings[end.device]!.switch.pipelinePs,
      responseDelayPs: peerPause.responseDelayPs,
      longestSentOctets: this.longestOctets,
      longestStoppedOctets: FRAME_OCTETS_MIN,
      fullPoolOctets: 0,
      cellOctets: 1,
    });
    // One frame is under way when the last of these octets has passed.
    const octets = terms.totalOctets - terms.frameOctets;
    return Math.ceil(octets / wireOctets(FRAME_OCTETS_MIN)) + 1;
  }

  private pauseOf(end: LinkEnd): { readonly responseDelayPs: number } {
    return this.scenario.pause.enabled ? this.scenario.pause.pfc : this.pause(end)!;
  }

  /** An error where the file says it of this switch. */
  private wrong(device: number, what: keyof typeof PLACES, message: string): Error {
    const [says, ...keys] = PLACES[what];
    const said = (change: DeviceOverride): boolean => says(change.switch) !== undefined;
    return this.fail(placeOf(this.settings[device]!, said, keys), message);
  }
}

function multicastOf(registers: Mvtx2802Section): Mvtx2802Spec['multicast'] {
  const { multicast, mcc, multicastStops, congestionFrames } = registers;
  switch (multicast) {
    case 'off':
      return { kind: 'off' };
    case 'unmanaged':
      return { kind: 'unmanaged', mcc, stops: multicastStops };
    case 'managed':
      return {
        kind: 'managed',
        thresholdFrames: congestionFrames,
        lowFrames: uncongestedBelow(congestionFrames),
      };
  }
}
