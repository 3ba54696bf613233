import { UNKNOWN } from '../kernel/kinds.js';
import { TRAFFIC_CLASSES, VLAN_TAG_OCTETS } from '../units/ethernet.js';
import type { PacketPlane } from '../arbiter/wsp-arbiter.js';
import { WspArbiter } from '../arbiter/wsp-arbiter.js';
import { KB } from '../arbiter/credits.js';
import type { NicSpec } from '../contract/spec.js';
import { EtsDriver } from './ets-driver.js';
import { HintedWrites } from './hinted-writes.js';
import { Latencies } from './latencies.js';
import type { LedListener } from './led-panel.js';
import { LedPanel } from './led-panel.js';
import { RateTable } from './rate-table.js';
import { classOfRegister } from './refill-rule.js';
import { ReceivedTags } from './received-tags.js';
import { RegisterFile } from './register-file.js';
import type { RegisterName } from './register-map.js';
import { POOLS, QUEUES, REGISTER_NAMES, registerKind } from './register-map.js';
import type { VlanModes } from './vlan.js';
import { C_TAG, identifierOf, innerTag, receivedPriority, receiveTags, tagsOf } from './vlan.js';
import { vlanModesOf } from './vlan-modes.js';
import { VmArbiter } from './vm-arbiter.js';
import { OCTET_BITS_PS } from '../units/rates.js';

const PLAIN_HEADER_OCTETS = 14 + 20 + 8;
/** RDLEN counts 128 octets of 16 for each descriptor. */
const DESCRIPTORS_PER_UNIT = 8;
/** SRRCTL.DESCTYPE. */
const HEADER_SPLITTING = 2;
/** Which bit of a flow's hash picks one of the two queues of a pool. */
const POOL_QUEUE_SHIFT = 16;

/** RTTUP2TC is as its driver has written it. */
export const NO_TABLE = -1;

/** Some bits of a register, and what they become. */
interface MaskedWrite {
  readonly name: RegisterName;
  readonly index: number;
  readonly mask: number;
  readonly value: number;
}

/**
 * One 82599 without its frames: registers, the three arbiters of classes, those of virtual
 * machines, the rate scheduler, and its counters. Registers are the only configuration.
 */
export class Nic82599 {
  static readonly kinds = UNKNOWN;

  readonly #spec: NicSpec;
  readonly #packetPlane: PacketPlane;
  readonly registers = new RegisterFile();
  readonly rates: RateTable;
  readonly descriptorPlane = new WspArbiter();
  readonly receivePlane = new WspArbiter();
  /** One per class, among its queues; without DCB one, among pools. */
  readonly vms: readonly VmArbiter[];
  /** Without DCB, by pool: the queue that was served last. */
  readonly lastInPool = new Int32Array(POOLS);
  /** By priority: frames that software has read. */
  readonly taken = new Float64Array(TRAFFIC_CLASSES);
  readonly leds: LedPanel;
  readonly hints = new HintedWrites(this.registers);
  readonly etsDriver = new EtsDriver();
  readonly tags = new ReceivedTags();
  /** From the tail update to the first bit on the wire: frames whose release time is known. */
  readonly transmitLatency = new Latencies();
  /** From the last bit on the wire to the descriptor on PCIe. */
  readonly receiveLatency = new Latencies();
  /** What a fault has put in the place of RTTUP2TC, or NO_TABLE. */
  wrongMap = NO_TABLE;
  /** How often registers were written since the run began. */
  writes = 0;
  /** Frames that anti-spoofing has stopped (SSVPC). */
  spoofed = 0;
  /** PFDTXGSWC.VT_LBEN: frames between virtual machines stay in the part. */
  readonly #switches: boolean;
  /** By priority: frames that the switch between virtual machines has passed on. */
  readonly looped = new Float64Array(TRAFFIC_CLASSES);
  /** By class of their transmit queue: the same, and their octets. */
  readonly loopedFrames = new Float64Array(TRAFFIC_CLASSES);
  readonly loopedOctets = new Float64Array(TRAFFIC_CLASSES);
  /** By class: frames that their receive buffer refused (RXMPC). */
  readonly missed = new Float64Array(TRAFFIC_CLASSES);
  /** By class: frames at the head of their buffer without a descriptor (RNBC). */
  readonly noDescriptor = new Float64Array(TRAFFIC_CLASSES);
  /** By receive queue: frames dropped for want of a descriptor (QPRDC). */
  readonly droppedBy = new Float64Array(QUEUES);
  /** Receive descriptors are counted. */
  readonly #hasRings: boolean;
  /** Some pool is not trusted. */
  checksSpoofing = false;
  /** RTTDCS.BPBFSM: there is no check for room, and data waits on PCIe for its buffer. */
  bypassesRoom = false;
  /** By class: TXPBSIZE in octets. */
  readonly transmitOctets = new Int32Array(TRAFFIC_CLASSES);
  /** By pool: anti-spoofing by VLAN, and by MAC; by receive queue: the inner tag is stripped. */
  private readonly vlanChecks = new Uint8Array(POOLS);
  private readonly macChecks = new Uint8Array(POOLS);
  private readonly strips = new Uint8Array(QUEUES);
  /** By receive queue: frames without a descriptor are dropped; headers are written apart. */
  private readonly drops = new Uint8Array(QUEUES);
  private readonly splits = new Uint8Array(QUEUES);
  /** Queues of a virtual machine are a power of two. */
  readonly #queueBits: number;
  readonly #vlanModes: VlanModes;
  /** A frame's user priority is the one in its tags. */
  readonly #plainPriority: boolean;

  constructor(spec: NicSpec, octetPs: number, packetPlane: PacketPlane) {
    this.#spec = spec;
    this.#packetPlane = packetPlane;
    this.rates = new RateTable(this.registers, octetPs);
    this.leds = new LedPanel(OCTET_BITS_PS / octetPs);
    this.#hasRings = spec.softwarePs !== null;
    this.vms = spec.dcb
      ? Array.from({ length: spec.classes }, () => new VmArbiter(QUEUES / spec.classes))
      : [new VmArbiter(POOLS)];
    for (const { register, index, value } of spec.registers) {
      this.registers.set(register as RegisterName, index, value);
    }
    this.#queueBits = Math.log2(spec.dcb ? spec.classes : QUEUES / POOLS);
    this.#vlanModes = vlanModesOf(this.registers, spec.dcb);
    const usual = !this.#vlanModes.double && this.#vlanModes.innerType === C_TAG;
    this.#plainPriority = spec.untagged === 'carried' && usual;
    this.#switches = this.registers.field('PFDTXGSWC', 'VT_LBEN') === 1;
    this.applyAll();
    this.leds.start(this.registers.get('LEDCTL'));
  }

  /** The descriptor queue of a virtual machine for a class. */
  queueOf(vm: number, trafficClass: number): number {
    return (vm << this.#queueBits) + (this.#spec.dcb ? trafficClass : 0);
  }

  /**
   * The descriptor queue in which software puts frames of a connection. Without DCB a pool has two,
   * and as in a driver a hash of the flow picks one: by a bit that equal-cost groups do not use.
   */
  transmitQueueOf(vm: number, trafficClass: number, hash: number): number {
    return this.queueOf(vm, trafficClass) + (this.#spec.dcb ? 0 : (hash >>> POOL_QUEUE_SHIFT) & 1);
  }

  classOfQueue(queue: number): number {
    return this.#spec.dcb ? queue & ((1 << this.#queueBits) - 1) : 0;
  }

  /** Its number in the arbiter of its class: VM, or pool without DCB. */
  vmOfQueue(queue: number): number {
    return queue >> this.#queueBits;
  }

  /** Writes the bits of a mask, and updates what depends on them. */
  write({ name, index, mask, value }: MaskedWrite, nowPs: number, listener: LedListener): void {
    this.rates.drift(nowPs);
    this.writes++;
    const before = this.registers.get(name, index);
    this.registers.set(name, index, ((before & ~mask) | (value & mask)) >>> 0);
    if (name === 'RTTBCNRC') this.rates.written(index, before, nowPs);
    else if (name === 'RTTBCNRD') this.rates.driftWritten(nowPs);
    else if (name === 'LEDCTL') this.leds.setControl(this.registers.get(name), nowPs, listener);
    else this.apply(name, index);
  }

  /** The classes that paused priorities stop, three bits each (7.7.2.2). */
  pausedClasses(): number {
    return this.wrongMap === NO_TABLE ? this.registers.get('RTTUP2TC') : this.wrongMap;
  }

  /** Value of a register, with the present credits and stamps. */
  read(name: RegisterName, index: number, nowPs: number): number {
    switch (name) {
      case 'RTTUP2TC':
        return this.pausedClasses();
      case 'RTTDT1S':
        return this.vms[this.classOfQueue(index)].credit[this.vmOfQueue(index)];
      case 'RTTDT2S':
        return this.descriptorPlane.credit[index];
      case 'RTTPT2S':
        return this.#packetPlane.classes.credit[index];
      case 'RTRPT4S':
        return this.receivePlane.credit[index];
      case 'RXMPC':
        return this.missed[index];
      case 'RNBC':
        return this.noDescriptor[index];
      case 'QPRDC':
        return this.droppedBy[index];
      default:
        this.rates.drift(nowPs);
        return this.registers.get(name, index);
    }
  }

  /** User priority of a received frame whose tags all have one priority. */
  userPriority(priority: number, vlans: number): number {
    if (this.#plainPriority) return priority;
    return receivedPriority(priority, vlans, this.#vlanModes, this.#spec.untagged);
  }

  /** A pool receives untagged frames, and those of its VLANs. */
  takesVlan(pool: number, vlans: number): boolean {
    const allowed = this.#spec.poolVlans[pool];
    if (vlans === 0 || allowed === undefined || allowed.length === 0) return true;
    const inner = innerTag(tagsOf(vlans, 0), this.#vlanModes);
    const identifier = inner === null ? 0 : identifierOf(inner.tci);
    // A priority-tagged frame is of no VLAN (802.1Q 9.6).
    return identifier === 0 || allowed.includes(identifier);
  }

  /**
   * Whether anti-spoofing drops a frame of a pool; `foreign`: its source address is not the pool's.
   */
  isSpoofed(pool: number, vlans: number, foreign: boolean): boolean {
    if (foreign && this.macChecks[pool] !== 0) return true;
    if (this.vlanChecks[pool] === 0) return false;
    // In double mode an untagged frame passes no check (7.4.5.2).
    return (vlans === 0 && this.#vlanModes.double) || !this.takesVlan(pool, vlans);
  }

  /** Octets of the inner tag, if it is stripped on receive. */
  strippedOctets(queue: number, vlans: number): number {
    if (this.strips[queue] === 0) return 0;
    const { stripped } = receiveTags(tagsOf(vlans, 0), this.#vlanModes, true);
    return stripped === null ? 0 : VLAN_TAG_OCTETS;
  }

  /** Descriptors in the ring of a receive queue (RDLEN). */
  ringSize(queue: number): number {
    return this.registers.field('RDLEN', 'LEN', queue) * DESCRIPTORS_PER_UNIT;
  }

  /** SRRCTL.DROP_EN of a receive queue. */
  dropsAt(queue: number): boolean {
    return this.drops[queue] !== 0;
  }

  /** Time that software needs for a frame of a receive queue. */
  softwarePs(queue: number): number {
    const { softwarePs } = this.#spec;
    return softwarePs === null ? 0 : softwarePs[this.vmOfQueue(queue)];
  }

  /** Octets of the header buffer: Ethernet, tags that stay, IPv4 and UDP. */
  headerOctets(queue: number, vlans: number): number {
    if (this.splits[queue] === 0) return 0;
    const tags = tagsOf(vlans, 0).length * VLAN_TAG_OCTETS;
    return PLAIN_HEADER_OCTETS + tags - this.strippedOctets(queue, vlans);
  }

  private applyAll(): void {
    for (const name of REGISTER_NAMES) {
      for (let i = 0; i < registerKind(name).count; i++) this.apply(name, i);
    }
    for (let queue = 0; queue < QUEUES; queue++) this.rates.written(queue, 0, 0);
    this.rates.driftWritten(0);
  }

  private apply(name: RegisterName, index: number): void {
    const { registers } = this;
    switch (name) {
      case 'RTTDCS': {
        const recycle = registers.field(name, 'TDRM') === 1;
        const weighted = registers.field(name, 'TDPAC') === 1;
        this.bypassesRoom = registers.field(name, 'BPBFSM') === 1;
        this.descriptorPlane.setModes({ weighted, recycle });
        for (const vms of this.vms) vms.setWeighted(registers.field(name, 'VMPAC') === 1);
        break;
      }
      case 'RTTPCS': {
        const recycle = registers.field(name, 'TPRM') === 1;
        const weighted = registers.field(name, 'TPPAC') === 1;
        this.#packetPlane.classes.setModes({ weighted, recycle });
        break;
      }
      case 'RTRPCS': {
        const recycle = registers.field(name, 'RRM') === 1;
        const weighted = registers.field(name, 'RAC') === 1;
        this.receivePlane.setModes({ weighted, recycle });
        break;
      }
      case 'RTTDT2C':
        this.descriptorPlane.setClass(index, classOfRegister(registers.get(name, index)));
        break;
      case 'RTTPT2C':
        this.#packetPlane.classes.setClass(index, classOfRegister(registers.get(name, index)));
        break;
      case 'RTRPT4C':
        this.receivePlane.setClass(index, classOfRegister(registers.get(name, index)));
        break;
      case 'RTTDT1C':
        this.applyRefill(index);
        break;
      case 'TXPBSIZE':
        this.transmitOctets[index] = registers.field(name, 'SIZE', index) * KB;
        break;
      case 'RXDCTL':
        this.strips[index] = registers.field(name, 'VME', index);
        break;
      case 'SRRCTL':
        this.drops[index] = registers.field(name, 'DROP_EN', index);
        this.splits[index] = registers.field(name, 'DESCTYPE', index) === HEADER_SPLITTING ? 1 : 0;
        break;
      case 'PFVFSPOOF':
        spread(registers.field(name, 'MACAS', index), this.macChecks, index);
        spread(registers.field(name, 'VLANAS', index), this.vlanChecks, index);
        this.checksSpoofing = this.macChecks.includes(1) || this.vlanChecks.includes(1);
        break;
      case 'DCA_CTRL':
        this.hints.enabled = registers.field(name, 'DCA_DIS') === 0;
        break;
      default:
        break;
    }
  }

  /** Without DCB a pool has the parameters of its lowest queue. */
  private applyRefill(queue: number): void {
    if (!this.#spec.dcb && queue % (QUEUES / POOLS) !== 0) return;
    const arbiter = this.vms[this.classOfQueue(queue)];
    arbiter.setRefill(this.vmOfQueue(queue), this.registers.field('RTTDT1C', 'CRQ', queue));
  }

  get spec(): NicSpec {
    return this.#spec;
  }

  get packetPlane(): PacketPlane {
    return this.#packetPlane;
  }

  get vlanModes(): VlanModes {
    return this.#vlanModes;
  }

  get hasRings(): boolean {
    return this.#hasRings;
  }

  get switches(): boolean {
    return this.#switches;
  }
}

/** Bits of a register for eight pools, one each. */
function spread(bits: number, byPool: Uint8Array, index: number): void {
  for (let pool = 0; pool < 8; pool++) byPool[index * 8 + pool] = (bits >> pool) & 1;
}
