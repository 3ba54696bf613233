import { creditsOf } from '../../engine/arbiter/credits.js';
import type { WspClass } from '../../engine/arbiter/wsp-arbiter.js';
import { RECEIVE_KB, TRANSMIT_KB } from '../../engine/nic-82599/packet-buffers.js';
import { RATE_FACTOR_MOST, RATE_FACTOR_ONE } from '../../engine/nic-82599/rate-scheduler.js';
import { classOfRegister } from '../../engine/nic-82599/refill-rule.js';
import type { RegisterFile } from '../../engine/nic-82599/register-file.js';
import type { RegisterName } from '../../engine/nic-82599/register-map.js';
import { QUEUES } from '../../engine/nic-82599/register-map.js';
import { unpackClasses } from '../../engine/nic-82599/up-to-tc.js';
import type { Fail, NicFlow } from '../nic-context.js';
import type { Nic82599Section } from './section.js';
import type { Path } from '../../settings/source-tree.js';
import { needsGrants, isPausable, EXCHANGE } from '../fabric-context.js';
import type { NicSurroundings } from './registers.js';
import { CLASS_TABLES, octetsOfKb, vmCount, vmOfQueue } from './registers.js';

/** What the fault needs that pauses by another table of classes. */
export const NEEDS_OF_LOCAL_FLOW = 'nic: { model: 82599, vmSwitch: true }';
export const NEEDS_OF_MAP = 'an 82599 with DCB, and PFC';

/** Requirements of the data sheet for combinations of registers, and of registers and the rest. */
export class NicCheck {
  constructor(
    private readonly section: Nic82599Section,
    private readonly around: NicSurroundings,
    /** By priority: its method on the link. */
    private readonly methods: readonly string[],
    private readonly fail: Fail,
  ) {}

  /** Before the part runs. */
  all(file: RegisterFile): void {
    this.arbiter();
    this.virtualMachinesInUse();
    this.targetRates();
    this.classesInUse();
    this.buffers(file);
    this.userPriorities(file);
    this.live(file);
  }

  /** Checks of what may change while it runs. */
  live(file: RegisterFile): void {
    if (this.section.dcb) for (const table of CLASS_TABLES) this.table(file, table);
    this.virtualMachines(file);
    this.rates(file);
    this.planes(file);
  }

  private planes(file: RegisterFile): void {
    if (file.field('PFDTXGSWC', 'VT_LBEN') === 0 || file.field('RTTDCS', 'BPBFSM') === 0) return;
    const message =
      'the switch between virtual machines is not emulated without the room condition';
    throw this.wrong(['vmSwitch'], `${message} (BPBFSM 1); leave one out`, 'RTTDCS');
  }

  private virtualMachinesInUse(): void {
    const { section } = this;
    const vms = vmCount(section);
    const limit = `there are ${vms} virtual machines, 0 to ${vms - 1}`;
    if (section.vmWeights.length > vms) {
      throw this.wrong(['vms'], `${section.vmWeights.length} weights; ${limit}`);
    }
    const rate = section.rates.findIndex(({ vm }) => vm >= vms);
    if (rate >= 0) throw this.wrong(['rates', rate, 'vm'], limit);
    const pool = section.pools.find((own) => own.pool >= vms)?.pool;
    if (pool !== undefined) throw this.wrong(['pools', String(pool)], limit);
  }

  /** An arbiter of the host becomes registers; what these cannot express is refused. */
  private arbiter(): void {
    const { arbiter, arbiterPath } = this.around;
    if (arbiter === null) return;
    const reject = (message: string): Error =>
      this.fail(arbiterPath, `${this.around.name}: ${message}`);
    if (arbiter.kind === 'dwrr' || arbiter.kind === 'outside') {
      const what = arbiter.kind === 'dwrr' ? 'dwrr' : 'arbiter of a plugin';
      throw reject(`an 82599 has no ${what}; write ets, strict or round-robin, or nic.bandwidth`);
    }
    if (!this.section.dcb) throw reject('an arbiter of classes needs nic.dcb: true');
    if (this.section.bandwidth !== null) {
      throw reject('arbiter and nic.bandwidth both say how classes share the port; leave one out');
    }
  }

  private targetRates(): void {
    this.section.rates.forEach(({ bps }, i) => {
      const factor = this.around.linkBps / bps;
      if (factor >= 1 && factor <= 1000) return;
      const message = `the rate factor of ${bps} bit/s would be ${factor}`;
      throw this.wrong(['rates', i, 'rate'], `${message}; 1 to 1000 (7.7.2.1.1)`);
    });
  }

  private classesInUse(): void {
    const { dcb, classes, rates } = this.section;
    if (!dcb) {
      const pfc = this.methods.findIndex(isPausable);
      if (pfc >= 0) throw this.wrong(['dcb'], `priority ${pfc} has pfc, which needs dcb: true`);
      this.onlyBuffer();
      return;
    }
    const used = [...this.around.transmit, ...this.around.receive, ...rates.map(({ tc }) => tc)];
    const beyond = used.find((tc) => tc >= classes);
    if (beyond === undefined) return;
    throw this.wrong(
      ['tcs'],
      `traffic class ${beyond} is used, but the part has ${classes}, 0 to ${classes - 1} (7.7.1)`,
    );
  }

  /** Without DCB all priorities share a buffer: others may fill what is granted. */
  private onlyBuffer(): void {
    const granted = this.methods.findIndex(needsGrants);
    const other = this.methods.findIndex((method) => !needsGrants(method));
    if (granted < 0 || other < 0) return;
    const message =
      `priority ${granted} has ${EXCHANGE} and priority ${other} has none, but both share the ` +
      `only receive buffer; dcb: true, or ${EXCHANGE} for all priorities (7.7.2.4.1)`;
    throw this.wrong(['dcb'], message);
  }

  private buffers(file: RegisterFile): void {
    const sum = (register: RegisterName): number =>
      [0, 1, 2, 3, 4, 5, 6, 7].reduce((total, tc) => total + file.field(register, 'SIZE', tc), 0);
    const receive = sum('RXPBSIZE');
    if (receive !== RECEIVE_KB) {
      const message = `the receive buffers have ${receive} KB together, not ${RECEIVE_KB} KB`;
      throw this.wrong(['receive'], `${message} (7.7.3.1)`, 'RXPBSIZE');
    }
    const transmit = sum('TXPBSIZE');
    if (transmit > TRANSMIT_KB) {
      const message = `the transmit buffers have ${transmit} KB together, of ${TRANSMIT_KB} KB`;
      throw this.wrong(['regs'], message, 'TXPBSIZE');
    }
    const { largestFrameOctets } = this.around;
    for (const [register, classOf] of [
      ['TXPBSIZE', unpackClasses(file.get('RTTUP2TC'))],
      ['RXPBSIZE', unpackClasses(file.get('RTRUP2TC'))],
    ] as const) {
      const small = classOf.find(
        (tc) => octetsOfKb(file.field(register, 'SIZE', tc)) < largestFrameOctets,
      );
      if (small === undefined) continue;
      const message =
        `${register}[${small}] has ${file.field(register, 'SIZE', small)} KB, less than a ` +
        `largest frame of ${largestFrameOctets} bytes`;
      throw this.wrong(['receive'], message, register);
    }
  }

  /** The tables of software and hardware must agree (7.7.2.2), and priorities of a class, too. */
  private userPriorities(file: RegisterFile): void {
    if (!this.section.dcb) return;
    for (const [register, key, wanted] of [
      ['RTTUP2TC', 'transmit', this.around.transmit],
      ['RTRUP2TC', 'receive', this.around.receive],
    ] as const) {
      const classOf = unpackClasses(file.get(register));
      const differs = classOf.findIndex((tc, up) => tc !== wanted[up]);
      if (differs >= 0) {
        const message =
          `${register} gives user priority ${differs} the class ${classOf[differs]}, software ` +
          `(classes.${key}) the class ${wanted[differs]}: the wrong one would be stopped (7.7.2.2)`;
        throw this.wrong(['regs'], message, register);
      }
      classOf.forEach((tc, up) => {
        const first = classOf.indexOf(tc);
        if (this.methods[first] === this.methods[up]) return;
        const message =
          `user priorities ${first} and ${up} share traffic class ${tc} (${register}), but have ` +
          `${this.methods[first]} and ${this.methods[up]}: one drop policy for a class (7.7.2.4.1)`;
        throw this.wrong(['tcs'], message, register);
      });
    }
  }

  private table(file: RegisterFile, table: (typeof CLASS_TABLES)[number]): void {
    const rows = Array.from({ length: this.section.classes }, (_, tc) =>
      classOfRegister(file.get(table, tc)),
    );
    rows.forEach((row, tc) => {
      const message = problemOf(row, rows);
      if (message !== null) throw this.wrong(['bandwidth'], `${table}[${tc}]: ${message}`, table);
    });
  }

  private virtualMachines(file: RegisterFile): void {
    const { section, around } = this;
    if (file.field('RTTDCS', 'VMPAC') === 0) return;
    const least = creditsOf(around.largestFrameOctets);
    const unweighted = unweightedClasses(section, file);
    for (let queue = 0; queue < QUEUES; queue++) {
      const refill = file.get('RTTDT1C', queue);
      if (refill >= least && refill <= 16_384) continue;
      if (unweighted.has(classOfQueue(section, queue))) continue;
      const limit =
        refill < least
          ? `less than a largest frame of ${around.largestFrameOctets} bytes, ${least} credits`
          : 'more than 16384 (1,024 KB)';
      const message = `RTTDT1C[${queue}].CRQ of VM ${vmOfQueue(section, queue)} is ${refill}`;
      throw this.wrong(['vms'], `${message}: ${limit} (7.7.2.3.1)`, 'RTTDT1C');
    }
  }

  private rates(file: RegisterFile): void {
    for (let queue = 0; queue < QUEUES; queue++) {
      if (file.field('RTTBCNRC', 'RS_ENA', queue) === 0) continue;
      const factor = file.get('RTTBCNRC', queue) & 0xffffff;
      if (factor >= RATE_FACTOR_ONE && factor <= RATE_FACTOR_MOST) continue;
      const shown = (factor / RATE_FACTOR_ONE).toFixed(5);
      const message = `the rate factor of queue ${queue} is ${shown}; 1 to 1000 (7.7.2.1.1)`;
      throw this.wrong(['rates'], message, 'RTTBCNRC');
    }
  }

  /** At the register that the scenario sets, else at the key that determines it. */
  private wrong(keys: Path, message: string, register?: RegisterName): Error {
    const { registers, writes, path } = this.section;
    const values = [...registers, ...writes.flatMap((write) => write.values)];
    const given = values.findLast((value) => value.register === register);
    return this.fail(given?.path ?? [...path, ...keys], `${this.around.name}: ${message}`);
  }
}

function problemOf(row: WspClass, rows: readonly WspClass[]): string | null {
  if (row.linkStrict) {
    return row.refill > 0 ? `LSP with a refill of ${row.refill}; it must be 0 (7.7.2.4.1)` : null;
  }
  if (row.refill === 0 && !row.groupStrict) return 'CRQ is 0; 1 to 511 (Table 7-52)';
  if (row.most === 0) return 'MCL is 0; 1 to 4095 (Table 7-52)';
  const group = rows.filter((other) => !other.linkStrict && other.group === row.group);
  const refill = group.reduce((sum, other) => sum + other.refill, 0);
  return refill === 0 ? `no class of bandwidth group ${row.group} has a refill` : null;
}

/** Drivers without virtual machines clear RTTDT1C of all queues: these take turns. */
function unweightedClasses(section: Nic82599Section, file: RegisterFile): ReadonlySet<number> {
  const classes = new Set(Array.from({ length: section.dcb ? section.classes : 1 }, (_, tc) => tc));
  for (let queue = 0; queue < QUEUES; queue++) {
    if (file.get('RTTDT1C', queue) !== 0) classes.delete(classOfQueue(section, queue));
  }
  return classes;
}

function classOfQueue({ dcb, classes }: Nic82599Section, queue: number): number {
  return dcb ? queue % classes : 0;
}

/** Flows refer to virtual machines that their hosts have. */
export function checkVms(
  section: Nic82599Section,
  flows: readonly NicFlow[],
  host: number,
  fail: Fail,
): void {
  const vms = vmCount(section);
  const message = `there are ${vms} virtual machines, 0 to ${vms - 1}`;
  for (const { source, destination, group, name, load, vm, toVm } of flows) {
    if (source === host && vm >= vms) {
      throw fail(['load', load, 'vm'], `${name} has VM ${vm}; ${message}`);
    }
    if (!group && destination === host && toVm >= vms) {
      const key = toVm === vm ? 'vm' : 'toVm';
      throw fail(['load', load, key], `${name} has VM ${toVm}; ${message}`);
    }
  }
}

/** From one virtual machine of a host to another. */
function isLocal({ source, destination, group }: NicFlow): boolean {
  return !group && source === destination;
}

/** What the switch between virtual machines needs of the receive buffers that it fills. */
interface SwitchedBuffers {
  readonly file: RegisterFile;
  readonly around: NicSurroundings;
  readonly methods: readonly string[];
  /** By class: octets below XOFF. */
  readonly reservedOctets: readonly number[];
}

/** Frames that are looped back go into the receive buffer of the class they had on transmit. */
export function checkSwitch(
  { dcb, path }: Nic82599Section,
  flows: readonly NicFlow[],
  { file, around, methods, reservedOctets }: SwitchedBuffers,
  fail: Fail,
): void {
  const switches = file.field('PFDTXGSWC', 'VT_LBEN') === 1;
  for (const flow of flows.filter(isLocal)) {
    if (!switches) {
      const message = `${flow.name} stays within the host; its NIC needs vmSwitch: true`;
      throw fail(['load', flow.load], message);
    }
    const { transport, priority } = flow;
    const used = transport.kind === 'reliable' ? [priority, transport.ackPriority] : [priority];
    for (const up of used) {
      const tc = dcb ? around.transmit[up] : 0;
      const granted = methods.findIndex(
        (method, other) => needsGrants(method) && (dcb ? around.receive[other] : 0) === tc,
      );
      if (granted >= 0) {
        const message =
          `${flow.name} is looped back into receive buffer ${tc}, which is granted to the link ` +
          `partner as ${EXCHANGE} of priority ${granted}; use a priority of another class`;
        throw fail(['load', flow.load, 'priority'], message);
      }
      if (reservedOctets[tc] >= around.largestFrameOctets) continue;
      const message =
        `receive buffer ${tc} has ${reservedOctets[tc]} bytes below its high watermark, less ` +
        `than a largest frame: ${flow.name} could not be looped back into it (7.7.3.1)`;
      throw fail([...path, 'receive'], message);
    }
  }
}
