import { headroomTerms } from '../../engine/analysis/headroom/headroom.js';
import type { ArbiterSpec } from '../../engine/contract/arbiter.js';
import type { ShaperSpec, SlotsSpec } from '../../engine/contract/spec.js';
import {
  DELAY_BOUNDS_US,
  LEAST_XOFF_SLOTS,
  MVTX2802_MEMORIES,
  MVTX2802_PORTS,
  MVTX2802_RATES_BPS,
  MVTX2802_SLOT_OCTETS,
  MVTX2802_SOURCES,
  RATE_PARTS,
  uncongestedBelow,
} from '../../engine/mvtx2802/managed.js';
import { FRAME_OCTETS_MIN, wireOctets } from '../../engine/units/ethernet.js';
import { showRate } from '../../settings/quantities.js';
import type { Path } from '../../settings/source-tree.js';
import type { SlotMargin, SlottedFabric, SlottedLink, SwitchChange } from '../slotted-context.js';
import type { SlottedPlan } from '../slotted-slice.js';
import { pausingAt } from './flow-control.js';
import type { SlotsChange, SlotsSection, SlottedPortSection } from './section.js';
import { NAME } from './settings.js';

/** As its own settings have them. */
export interface Mvtx2802Types {
  readonly registers: SlotsSection;
  readonly change: SlotsChange;
  readonly port: SlottedPortSection;
}

type Change = SwitchChange<Mvtx2802Types>;

/** Whether a change sets it, and its path. */
const PLACES = {
  model: [({ model }: Change) => model, 'model'],
  cutThrough: [({ cutThrough }: Change) => cutThrough, 'cutThrough'],
  memory: [({ slots }: Change) => slots, NAME],
  vlans: [({ slots }: Change) => slots?.vlanCongestionFrames, NAME, 'vlanCongestion'],
  scheduler: [({ slots }: Change) => slots?.scheduler, NAME, 'scheduler'],
  weights: [({ slots }: Change) => slots?.weights, NAME, 'weights'],
  shaper: [({ slots }: Change) => slots?.shaper, NAME, 'shaper'],
  cpu: [({ slots }: Change) => slots?.cpuPort, NAME, 'cpuPort'],
  temporary: [({ slots }: Change) => slots?.temporarySlots, NAME, 'temporary'],
  source: [({ slots }: Change) => slots?.sourceSlots, NAME, 'source'],
  xoff: [({ slots }: Change) => slots?.xoffSlots, NAME, 'xoff'],
  flowControl: [({ slots }: Change) => slots?.flowControl, NAME, 'flowControl'],
} as const;

const CLASSES = [0, 1, 2, 3, 4, 5, 6, 7];
const P6_AND_P7 = 0xc0;
const GIGABIT_PS = 1e3;
/** Specifications of the switches that are MVTX2802s. */
export class Mvtx2802Plan implements SlottedPlan {
  readonly margins: SlotMargin[] = [];
  constructor(private readonly fabric: SlottedFabric<Mvtx2802Types>) {}

  spec(device: number): SlotsSpec | null {
    if (!this.isChip(device)) return null;
    const registers = this.registersOf(device);
    this.checkPart(device);
    this.checkLinks(device);
    this.checkQos(device, registers);
    const classSlots = CLASSES.map((tc) => registers.classes[tc] ?? 0);
    const sharedSlots = this.sharedSlots(device, registers, classSlots);
    const { sourceSlots, normalQos, allocationOrder, wred } = registers;
    return {
      sharedSlots,
      classSlots,
      sourceSlots,
      xoffSlots: this.fabric.linkEnds[device].map((end) => this.xoffSlots(end, registers)),
      flowControl: this.fabric.linkEnds[device].map((end) => this.hasFlowControl(end)),
      fixed: this.fabric.linkEnds[device].map((end) => this.portSection(end)?.fixed ?? null),
      normalQos,
      allocationOrder,
      multicast: multicastOf(registers),
      temporarySlots: this.temporarySlots(device, registers),
      shapers: this.fabric.linkEnds[device].map((end) => this.shaper(end, registers)),
      cpuPort: registers.cpuPort === null ? -1 : registers.cpuPort - 1,
      wred: {
        sum: wred.sum,
        levelOctets: wred.levels,
        thresholdOctets: CLASSES.map((tc) => wred.thresholds[tc] ?? 0),
        firstHigh: wred.firstHigh,
        secondHigh: wred.secondHigh,
        secondLow: wred.secondLow,
        spared: strictClasses(registers.scheduler),
      },
    };
  }

  arbiter({ device, link }: SlottedLink): ArbiterSpec | null {
    if (!this.isChip(device)) return null;
    const { scheduler, weights } = this.registersOf(device);
    if (scheduler === 'classes') return null;
    const strict = strictClasses(scheduler);
    const isBounded = scheduler.endsWith('delay-bound');
    const isStrict = (tc: number): boolean => (strict & (1 << tc)) !== 0;
    return {
      kind: 'due-dates',
      strict,
      // The bounds are those of 1 Gb/s: of so many octets of the queues at the rate of the port.
      boundsPs: CLASSES.map((tc) => {
        const boundUs = DELAY_BOUNDS_US[tc] ?? null;
        if (!isBounded || boundUs === null || isStrict(tc)) return null;
        return Math.round((boundUs * GIGABIT_PS * 1e12) / link.rateBps);
      }),
      weights: isBounded ? CLASSES.map(() => 0) : weightsOf(weights, isStrict),
    };
  }

  private shaper({ device, port, octetPs }: SlottedLink, section: SlotsSection): ShaperSpec | null {
    const { shaper } = section;
    if (shaper === null || this.isCpu({ device, port })) return null;
    const averageOctetPs = Math.ceil((octetPs * RATE_PARTS) / shaper.average);
    return {
      peakOctetPs: Math.ceil((octetPs * RATE_PARTS) / shaper.peak),
      averageOctetPs,
      burstPs: shaper.burstBytes * averageOctetPs,
    };
  }

  private isCpu({ device, port }: Pick<SlottedLink, 'device' | 'port'>): boolean {
    return this.registersOf(device).cpuPort === port + 1;
  }

  isChip(device: number): boolean {
    const isSwitch = this.fabric.topology.devices[device].kind === 'switch';
    return isSwitch && this.fabric.settings[device].switch.model === NAME;
  }

  private hasFlowControl(end: SlottedLink): boolean {
    const registers = this.registersOf(end.device);
    return pausingAt(registers, this.portSection(end), end.port + 1) !== null;
  }

  private portSection({ device, port }: SlottedLink): SlottedPortSection | undefined {
    const { ports } = this.fabric.settings[device].switch;
    return ports.find((section) => section.port === port + 1)?.slots;
  }

  private registersOf(device: number): SlotsSection {
    return this.fabric.settings[device].switch.slots;
  }

  private nameOf(device: number): string {
    return this.fabric.topology.devices[device].name;
  }

  private checkPart(device: number): void {
    const ports = this.fabric.linkEnds[device].length;
    const { cpuPort } = this.registersOf(device);
    if (cpuPort !== null && cpuPort > ports) {
      const message = `${this.nameOf(device)} has no port ${cpuPort}: it has ${ports}`;
      throw this.wrong(device, 'cpu', message);
    }
    if (ports - (cpuPort === null ? 0 : 1) > MVTX2802_PORTS) {
      throw this.wrong(
        device,
        'model',
        `${this.nameOf(device)} has ${ports} ports; an MVTX2802 has ${MVTX2802_PORTS}` +
          (cpuPort === null ? ', and one for its CPU (cpuPort)' : ' beside that of its CPU'),
      );
    }
    if (this.fabric.settings[device].switch.cutThrough) {
      const message = `${this.nameOf(device)} is an MVTX2802, which stores and forwards`;
      throw this.wrong(device, 'cutThrough', message);
    }
    const longest = Math.max(...this.fabric.linkFrames[device].map((own) => own.longestOctets));
    if (longest > MVTX2802_SLOT_OCTETS) {
      throw this.wrong(
        device,
        'model',
        `frames of ${longest} bytes do not fit ${this.nameOf(device)}: a slot of an ` +
          `MVTX2802 has ${MVTX2802_SLOT_OCTETS}`,
      );
    }
  }

  private checkLinks(device: number): void {
    for (const end of this.fabric.linkEnds[device]) {
      const { rateBps } = end.link;
      if (!MVTX2802_RATES_BPS.includes(rateBps)) {
        throw this.wrong(
          device,
          'model',
          `${end.name} has ${showRate(rateBps)}; ports of an MVTX2802 have ` +
            MVTX2802_RATES_BPS.map(showRate).join(', '),
        );
      }
      const pausePs = this.fabric.responseDelayPs(device, end.port);
      const method = pausePs === null ? this.methodOf(end) : this.methodGiven(device);
      if (method !== undefined) {
        const message = `${end.name} has ${method}; an MVTX2802 knows 802.3x only`;
        throw this.wrong(device, 'model', message);
      }
      if (pausePs === null && this.hasFlowControl(end)) {
        const message = `true, and ${end.name} has no PAUSE; false, or PAUSE for the port`;
        throw this.wrong(device, 'flowControl', message);
      }
    }
  }

  private methodOf({ device, port }: SlottedLink): string | undefined {
    return this.fabric.methods[device][port].find((one) => one !== 'none');
  }

  /** Flow control of a priority that the file gives to this switch, and not to the fabric. */
  private methodGiven(device: number): string | undefined {
    return this.fabric.settings[device].priorities.find(
      ({ flowControl, path }) => flowControl !== 'none' && path[0] === 'devices',
    )?.flowControl;
  }

  private checkQos(device: number, registers: SlotsSection): void {
    const { scheduler, weights, shaper, multicast, vlanCongestionFrames } = registers;
    const name = this.nameOf(device);
    if (scheduler !== 'classes' && this.fabric.settings[device].switch.arbiter !== null) {
      const message = `${name} has its own arbiter, and scheduler ${scheduler}; leave one out`;
      throw this.wrong(device, 'scheduler', message);
    }
    const given = Object.keys(weights).map(Number);
    if (given.length > 0) {
      const problem = problemOfWeights(given, weights, scheduler);
      if (problem !== null) throw this.wrong(device, 'weights', problem);
    }
    if (shaper !== null && !scheduler.startsWith('strict')) {
      throw this.wrong(
        device,
        'shaper',
        `a shaper of ${name} needs class P6 strict, and scheduler is ${scheduler}; write ` +
          'strict-delay-bound or strict-wfq',
      );
    }
    if (shaper !== null && shaper.average > shaper.peak) {
      const { average, peak } = shaper;
      const message = `an average rate of ${average} above the peak rate of ${peak}; lower it`;
      throw this.wrong(device, 'shaper', message);
    }
    const [vlan] = Object.keys(vlanCongestionFrames);
    if (vlan !== undefined && multicast !== 'managed') {
      const message = `VLAN ${vlan} has a threshold, and multicast is ${multicast}; write managed`;
      throw this.wrong(device, 'vlans', message);
    }
    const cpu = this.fabric.settings[device].switch.ports.find(
      ({ port }) => port === registers.cpuPort,
    );
    if (cpu?.slots.flowControl === true) {
      const message = `port ${cpu.port} of ${name} is that of its CPU, which has no 802.3x`;
      throw this.wrong(device, 'cpu', message);
    }
  }

  /** What all the regions leave; the CPU has a region like every port. */
  private sharedSlots(
    device: number,
    { memory, temporarySlots, sourceSlots }: SlotsSection,
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
    return slots - kept;
  }

  /** Infinity where they are enough for whatever comes in. */
  private temporarySlots(device: number, { temporarySlots }: SlotsSection): number {
    const coming = this.framesComingIn(device);
    if (coming <= temporarySlots) return Infinity;
    this.fabric.warn(
      this.place(device, 'temporary'),
      this.nameOf(device),
      `temporary slots for ${temporarySlots} frames, and ${coming} may be coming in at once, ` +
        'with what is in the pipeline: some are dropped at their first bit, also where flow ' +
        `control is on; write temporary: ${coming}`,
    );
    return temporarySlots;
  }

  /** Frames that can be between their first octet and the end of the pipeline, of all ports. */
  private framesComingIn(device: number): number {
    const { pipelinePs } = this.fabric.settings[device].switch;
    return this.fabric.linkEnds[device].reduce((sum, { octetPs }) => {
      const insidePs = FRAME_OCTETS_MIN * octetPs + pipelinePs;
      return sum + Math.ceil(insidePs / (wireOctets(FRAME_OCTETS_MIN) * octetPs));
    }, 0);
  }

  private xoffSlots(end: SlottedLink, { sourceSlots, xoffSlots }: SlotsSection): number {
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

  /** The shortest frames that may still arrive after Xoff. */
  private neededSlots(end: SlottedLink): number {
    const terms = headroomTerms({
      octetPs: end.octetPs,
      propagationPs: end.link.propagationPs,
      interfaceDelayPs: end.link.interfaceDelayPs,
      pipelinePs: this.fabric.settings[end.device].switch.pipelinePs,
      responseDelayPs: this.fabric.responseDelayPs(end.peerDevice, end.peerPort) ?? 0,
      longestSentOctets: this.fabric.linkFrames[end.device][end.port].longestOctets,
      longestPausedOctets: FRAME_OCTETS_MIN,
      fullPoolOctets: 0,
      cellOctets: 1,
    });
    // One frame is in flight when the last of these octets has passed.
    const octets = terms.totalOctets - terms.frameOctets;
    return Math.ceil(octets / wireOctets(FRAME_OCTETS_MIN)) + 1;
  }

  /** An error where the file configures it for this switch. */
  private wrong(device: number, what: keyof typeof PLACES, message: string): Error {
    return this.fabric.fail(this.place(device, what), message);
  }

  private place(device: number, what: keyof typeof PLACES): Path {
    const [says, ...keys] = PLACES[what];
    return this.fabric.placeOf(device, (change) => says(change) !== undefined, keys);
  }
}

function strictClasses(scheduler: SlotsSection['scheduler']): number {
  return scheduler.startsWith('strict') ? P6_AND_P7 : 0;
}

/** By class: those given, or as equal as whole numbers that add up to 64 are. */
function weightsOf(
  weights: SlotsSection['weights'],
  isStrict: (trafficClass: number) => boolean,
): number[] {
  if (Object.keys(weights).length > 0) return CLASSES.map((tc) => weights[tc] ?? 0);
  const sharing = CLASSES.filter((tc) => !isStrict(tc));
  const least = Math.floor(RATE_PARTS / sharing.length);
  const more = RATE_PARTS - least * sharing.length;
  return CLASSES.map((tc) => {
    if (isStrict(tc)) return 0;
    return least + (sharing.indexOf(tc) >= sharing.length - more ? 1 : 0);
  });
}

function problemOfWeights(
  given: readonly number[],
  weights: SlotsSection['weights'],
  scheduler: SlotsSection['scheduler'],
): string | null {
  if (!scheduler.endsWith('wfq')) {
    return `weights act with scheduler wfq or strict-wfq, and it is ${scheduler}`;
  }
  const served = scheduler === 'wfq' ? CLASSES : CLASSES.slice(0, 6);
  const wrong = served.find((tc) => !given.includes(tc));
  if (wrong !== undefined) return `no weight for class ${wrong}; write all of ${served.join(', ')}`;
  const strict = given.find((tc) => !served.includes(tc));
  if (strict !== undefined) return `a weight for class ${strict}, which is strict; leave it out`;
  const sum = given.reduce((total, tc) => total + weights[tc], 0);
  return sum === RATE_PARTS ? null : `weights add up to ${sum}, and must to ${RATE_PARTS}`;
}

function multicastOf(registers: SlotsSection): SlotsSpec['multicast'] {
  const { multicast, mcc, multicastStops, congestionFrames, vlanCongestionFrames } = registers;
  switch (multicast) {
    case 'off':
      return { kind: 'off' };
    case 'unmanaged':
      return { kind: 'unmanaged', mcc, stops: multicastStops };
    case 'managed':
      return {
        kind: 'managed',
        thresholdFrames: congestionFrames,
        thresholdOfVlan: vlanCongestionFrames,
        lowFrames: uncongestedBelow(
          Math.min(congestionFrames, ...Object.values(vlanCongestionFrames)),
        ),
      };
  }
}
