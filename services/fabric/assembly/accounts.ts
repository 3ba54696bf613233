import type { PausingSettings } from '../../mechanisms/pausing-settings.js';
import { EXCHANGE, WHOLE_PORT } from '../../mechanisms/registry.js';
import type { HeadroomTerms } from '../../engine/analysis/headroom/headroom.js';
import { headroomTerms } from '../../engine/analysis/headroom/headroom.js';
import type { AccountSpec, BufferSpec } from '../../engine/contract/memory.js';
import type { PlacedSize } from '../sizing/placed-size.js';
import { termOf } from '../sizing/placed-size.js';
import type { PrioritySection, Scenario } from '../scenario/scenario.js';
import type { Margin, ResolvedInput } from './assembly.js';
import { fallbackAt, type PortSettings } from './port-settings.js';
import type { Settings } from './settings.js';
import { placeOf } from './settings.js';
import { hasPools, planPools, restingOctets } from '../buffers/plan-pools.js';
import type { Path } from '../topology/cabling.js';
import type { LinkEnd } from './link-ends.js';
import type { PlanBuffer } from './set-buffers.js';
import type { Backing } from './backing.js';
import { isBacked, isPausable, type Methods, needsGrants } from './link-methods.js';
import { groupsOf } from './priority-groups.js';

const GROUPS = 8;

/** Buffer of a switch, unless more than that is reserved: then it has so much beyond. */
const USUAL_OCTETS = 32e6;

/** Buffer of a host for a priority group beyond what flow control needs. */
const UNREAD_OCTETS = 65_536;

/** An account that no priority is charged to. */
const UNUSED: AccountSpec = {
  lossless: false,
  reservedOctets: 0,
  alpha: 0,
  xoffOctets: Infinity,
  xonGapOctets: 0,
  headroomOctets: 0,
};

/** The settings of a device for the priorities of one group. */
interface GroupPolicy {
  readonly group: number;
  readonly priorities: readonly number[];
  readonly reservedOctets: number;
  readonly alpha: number;
  /** How senders are paused; null where they are not. */
  readonly stop: PausingSettings | null;
  /** Senders have grants, which the account backs. */
  readonly granted: boolean;
  /** Link partners may come to send without them: they negotiate, and nothing stands in. */
  readonly isOptional: boolean;
}

/** The accounts of one port; ports that are alike share it. */
interface PortAccounts {
  readonly accounts: readonly AccountSpec[];
  readonly margins: readonly Omit<Margin, 'device' | 'port'>[];
}

interface SwitchMemory {
  readonly buffer: BufferSpec;
  readonly margins: readonly Margin[];
}

/** Plans the buffers of switches: accounts of every port and group, with headroom as computed. */
export class MemoryPlan {
  /** Of hosts, as `ofSwitch` returns them of switches. */
  readonly hostMargins: Margin[] = [];
  private readonly policies = new Map<PortSettings, Map<string, readonly GroupPolicy[]>>();
  /** By link, and the policies of both ends. */
  private readonly alike = new Map<string, PortAccounts>();
  private readonly numbers = new Map<readonly GroupPolicy[], number>();
  /** By device, those that were needed so far. */
  private readonly switches = new Map<number, SwitchMemory>();

  constructor(
    private readonly input: ResolvedInput,
    private readonly backing: Backing,
  ) {}

  ofSwitch(device: number): SwitchMemory {
    const known = this.switches.get(device) ?? this.planSwitch(device);
    this.switches.set(device, known);
    return known;
  }

  /** Where the port of a switch requests XOFF while the pool is idle; null where it never does. */
  xoffOctets(device: number, port: number, priority: number): number | null {
    const own = this.ofSwitch(device).margins.find(
      (margin) => margin.port === port && margin.priorities.includes(priority),
    );
    return own?.xoffOctets ?? null;
  }

  /**
   * The receive memory of a host. A sender may resume when as much is left to read as arrives
   * between a request and its effect: so the application never waits for it.
   */
  ofHost(end: LinkEnd): BufferSpec {
    const accounts = new Array<AccountSpec>(GROUPS).fill(UNUSED);
    for (const policy of this.policiesOf(end.device, end.port)) {
      const { group, stop, granted } = policy;
      const backed = granted ? this.grantAccount(end, policy) : UNUSED;
      const reservedOctets = backed.reservedOctets + UNREAD_OCTETS;
      if (stop === null) {
        accounts[group] = { ...backed, alpha: 0, reservedOctets };
        continue;
      }
      const terms = this.terms(end, policy);
      const headroomOctets = terms.totalOctets;
      const xoffOctets = reservedOctets + headroomOctets;
      const account = {
        lossless: true,
        reservedOctets: xoffOctets,
        xoffOctets,
        xonGapOctets: UNREAD_OCTETS,
        headroomOctets,
      };
      accounts[group] = { ...UNUSED, ...account };
      const { device, port } = end;
      this.hostMargins.push({
        device,
        port,
        group,
        priorities: policy.priorities,
        terms,
        ...account,
      });
    }
    const apart = accounts.map((own) => own.reservedOctets + own.headroomOctets);
    return {
      sizeOctets: apart.reduce((sum, octets) => sum + octets),
      cellOctets: 1,
      egressReservedOctets: 0,
      egressAlpha: 0,
      pools: null,
      accounts: [accounts],
    };
  }

  private planSwitch(device: number): SwitchMemory {
    const { model, buffer } = this.input.settings[device]!.switch;
    const linkEnds = this.input.linkEnds[device]!;
    if (model !== 'shared-buffer') return withoutBuffer(linkEnds);
    const { sizeBytes, cellBytes, egressReservedBytes, egressAlpha } = buffer;
    const { accounts, margins } = this.accountsAt(device, linkEnds);
    if (hasPools(buffer)) return this.pooledMemory(device, accounts, margins);
    const apart = accounts.flat().reduce((sum, { reservedOctets, headroomOctets }) => {
      return sum + reservedOctets + headroomOctets;
    }, 0);
    if (sizeBytes !== null && apart > sizeBytes) {
      throw this.impossible(device, apart, margins);
    }
    const sizeOctets = sizeBytes ?? (apart > USUAL_OCTETS ? apart + USUAL_OCTETS : USUAL_OCTETS);
    const pool = sizeOctets - apart;
    return {
      buffer: {
        sizeOctets,
        cellOctets: cellBytes,
        egressReservedOctets: egressReservedBytes,
        egressAlpha,
        accounts,
        pools: null,
      },
      margins: margins.map((margin) => ({
        ...margin,
        xoffOctets: Math.min(margin.xoffOctets, idleThreshold(margin, accounts, pool)),
      })),
    };
  }

  private accountsAt(device: number, ends: readonly LinkEnd[]) {
    const ports = ends.map((end) => this.portAccounts(end));
    const margins = ports.flatMap((own, port) =>
      own.margins.map((margin): Margin => ({ ...margin, device, port })),
    );
    return { accounts: ports.map((port) => port.accounts), margins };
  }

  /** The buffer of a switch that has pools and profiles: they are in the place of settings. */
  private pooledMemory(
    device: number,
    accounts: readonly (readonly AccountSpec[])[],
    margins: readonly Margin[],
  ): SwitchMemory {
    const settings = this.input.settings[device]!;
    const ends = this.input.linkEnds[device]!;
    const section = settings.switch.buffer;
    const fail = (keys: Path, message: string): Error => {
      const says = (change: Settings['changes'][number]): boolean =>
        Object.hasOwn(change.switch.buffer ?? {}, keys[0]!);
      return this.input.fail(placeOf(settings, says, ['buffer', ...keys]), message);
    };
    const granted = ends.find((end) =>
      this.policiesOf(end.device, end.port).some((policy) => policy.granted),
    );
    if (granted !== undefined) {
      throw fail(
        ['pools'],
        `${granted.name} has ${EXCHANGE}, which pools cannot back; remove them`,
      );
    }
    const { name } = this.input.topology.devices[device]!;
    const termsOf = termsIn(margins);
    const buffer = planPools({ ...{ device: name, section, ends, accounts, fail }, termsOf });
    return {
      buffer,
      margins: margins.map((margin) => {
        const { port, group } = margin;
        const own = buffer.accounts[port]![group]!;
        return {
          ...margin,
          headroomOctets: own.headroomOctets,
          reservedOctets: own.reservedOctets,
          xonGapOctets: own.xonGapOctets,
          xoffOctets: restingOctets(buffer, port, group, section.asic.cellBytes),
        };
      }),
    };
  }

  /** The same when it is configured anew; null: it has no pools. */
  readonly planBuffer: PlanBuffer = (device, edits, ends, fail) => {
    const own = this.input.settings[device]!.switch;
    const { name, kind } = this.input.topology.devices[device]!;
    if (kind !== 'switch' || own.model !== 'shared-buffer' || !hasPools(own.buffer)) return null;
    const section = edits.reduce((buffer, edit) => edit(buffer), own.buffer);
    const { accounts, margins } = this.accountsAt(device, ends);
    const termsOf = termsIn(margins);
    return planPools({ ...{ device: name, section, ends, accounts, fail }, termsOf });
  };

  private portAccounts(end: LinkEnd): PortAccounts {
    const policies = this.policiesOf(end.device, end.port);
    // What is granted depends on the port.
    if (policies.some(({ granted }) => granted)) return this.accountsOf(end, policies);
    const { octetPs, peerDevice, peerPort, link } = end;
    const ends = [policies, this.policiesOf(peerDevice, peerPort)].map((own) => this.numberOf(own));
    const { longest } = this.input.linkFrames[end.device]![end.port]!;
    const key = [...ends, octetPs, link.propagationPs, link.interfaceDelayPs, ...longest].join();
    const known = this.alike.get(key) ?? this.accountsOf(end, policies);
    this.alike.set(key, known);
    return known;
  }

  private numberOf(policies: readonly GroupPolicy[]): number {
    const number = this.numbers.get(policies) ?? this.numbers.size;
    this.numbers.set(policies, number);
    return number;
  }

  private accountsOf(end: LinkEnd, policies: readonly GroupPolicy[]): PortAccounts {
    const settings = this.input.settings[end.device]!;
    const accounts = new Array<AccountSpec>(GROUPS).fill(UNUSED);
    const margins: PortAccounts['margins'][number][] = [];
    for (const policy of policies) {
      const { group, priorities, alpha, stop, granted } = policy;
      if (stop === null) {
        accounts[group] = granted
          ? this.grantAccount(end, policy)
          : { ...UNUSED, reservedOctets: policy.reservedOctets, alpha };
        continue;
      }
      // Where grants may apply, its buffer is below all thresholds of pauses.
      const backing = granted ? this.grantOctets(end, policy) : 0;
      const reservedOctets = policy.reservedOctets + backing;
      const terms = this.terms(end, policy);
      const cell = settings.switch.buffer.cellBytes;
      const wanted = stop.headroom === 'auto' ? terms.totalOctets : stop.headroom;
      const account = {
        lossless: true,
        reservedOctets,
        alpha,
        xoffOctets: stop.xoff === 'dynamic' ? Infinity : stop.xoff + backing,
        xonGapOctets: stop.xonGap,
        headroomOctets: Math.ceil(wanted / cell) * cell,
      };
      accounts[group] = account;
      margins.push({ group, priorities, terms, ...account });
    }
    return { accounts, margins };
  }

  /** Takes nothing beyond what is granted, unless link partners may run without grants. */
  private grantAccount(end: LinkEnd, policy: GroupPolicy): AccountSpec {
    const reservedOctets = this.grantOctets(end, policy);
    return policy.isOptional
      ? { ...UNUSED, reservedOctets, alpha: policy.alpha }
      : { ...UNUSED, lossless: true, reservedOctets };
  }

  /** Buffer for all that is granted. */
  private grantOctets(end: LinkEnd, { priorities }: GroupPolicy): number {
    const { cellBytes } = this.input.settings[end.device]!.switch.buffer;
    const memory = this.backing.at(end, cellBytes);
    return priorities.reduce((sum, priority) => sum + memory[priority]!, 0);
  }

  private terms(end: LinkEnd, { priorities, group }: GroupPolicy): HeadroomTerms {
    const { buffer, pipelinePs } = this.input.settings[end.device]!.switch;
    const frames = this.input.linkFrames[end.device]![end.port]!;
    const own = this.input.ports[end.device]![end.port]!;
    // By their DSCP frames of any load may be in the group.
    const longest =
      own.maps === null
        ? Math.max(...priorities.map((p) => frames.longest[p]!))
        : frames.longestOctets;
    const peerPolicies = this.policiesOf(end.peerDevice, end.peerPort);
    const peerStop = peerPolicies.find((policy) => policy.group === group)?.stop;
    return headroomTerms({
      octetPs: end.octetPs,
      propagationPs: end.link.propagationPs,
      interfaceDelayPs: end.link.interfaceDelayPs,
      pipelinePs,
      responseDelayPs: peerStop?.responseDelay ?? 0,
      longestSentOctets: frames.longestOctets,
      longestPausedOctets: longest,
      fullPoolOctets: longest,
      ...(hasPools(buffer)
        ? { cellOctets: buffer.asic.cellBytes, frameOctets: buffer.asic.frameBytes }
        : { cellOctets: buffer.cellBytes }),
    });
  }

  private policiesOf(device: number, port: number): readonly GroupPolicy[] {
    const { peerDevice, peerPort } = this.input.linkEnds[device]![port]!;
    const [own, peer] = [
      this.input.ports[device]![port]!,
      this.input.ports[peerDevice]![peerPort]!,
    ];
    const methods = this.input.methods[device]![port]!;
    const leaving = this.leavingAt(peer, methods);
    const byMethods = this.policies.get(own) ?? new Map<string, readonly GroupPolicy[]>();
    this.policies.set(own, byMethods);
    const key = `${methods.join()} ${leaving}`;
    const policies = byMethods.get(key) ?? makePolicies(this.input.scenario, own, methods, leaving);
    byMethods.set(key, policies);
    return policies;
  }

  /** Priorities that a link partner may come to send without grants, one bit each. */
  private leavingAt(peer: PortSettings, methods: Methods): number {
    const { discovery } = this.input.scenario;
    if (!discovery.enabled || !discovery.drives) return 0;
    return methods.reduce((mask, method, priority) => {
      const leaves = needsGrants(method) && fallbackAt(peer, priority, EXCHANGE) === 'none';
      return leaves ? mask | (1 << priority) : mask;
    }, 0);
  }

  private impossible(device: number, apart: number, margins: readonly Margin[]): Error {
    const { name } = this.input.topology.devices[device]!;
    const linkEnds = this.input.linkEnds[device]!;
    const settings = this.input.settings[device]!;
    const place = placeOf(settings, (change) => change.switch.buffer?.sizeBytes !== undefined, [
      'buffer',
      'size',
    ]);
    return this.input.fail(
      place,
      `impossible headroom: ${name} needs ${apart} bytes for headroom, reserves and ` +
        `${EXCHANGE} of ` +
        `its ports and has ${settings.switch.buffer.sizeBytes}${biggestPart(linkEnds, margins)}` +
        `${this.biggestGrants(device, linkEnds)}; size: auto, or more`,
    );
  }

  /** The port with the most buffer for grants, and the octets of its loop. */
  private biggestGrants(device: number, linkEnds: readonly LinkEnd[]): string {
    const most = this.backing.largest(device);
    if (most === null) return '';
    return (
      `; most of its ${most.name} is at ${linkEnds[most.port]!.name}: ${most.givenOctets} bytes ` +
      `for priority ${most.priority}, whose loop takes ${most.neededOctets}`
    );
  }
}

function termsIn(margins: readonly Margin[]) {
  return (port: number, group: number): HeadroomTerms =>
    margins.find((own) => own.port === port && own.group === group)!.terms;
}

function withoutBuffer(linkEnds: readonly LinkEnd[]): SwitchMemory {
  const accounts = linkEnds.map(() => []);
  const sizes = { sizeOctets: 0, cellOctets: 1, egressReservedOctets: 0, egressAlpha: 0 };
  return { buffer: { ...sizes, accounts, pools: null }, margins: [] };
}

function makePolicies(
  scenario: Scenario,
  port: PortSettings,
  methods: Methods,
  leaving: number,
): GroupPolicy[] {
  const { priorities, pause, maps } = port;
  const groups = groupsOf(scenario, port, methods);
  const pausing = maps?.pfcGroups ?? groups;
  const isWhole = methods[0] === WHOLE_PORT;
  return [...new Set(groups)].map((group) => {
    const own = priorities.filter(({ priority }) => groups[priority] === group);
    const numbers = own.map(({ priority }) => priority);
    const isPaused = ({ priority }: PrioritySection): boolean => isPausable(methods[priority]);
    const pauses = priorities.filter(({ priority }) => pausing[priority] === group);
    const leader = (isWhole ? own : pauses).find(isPaused) ?? own[0]!;
    const section = isWhole ? (pause ?? scenario.pause) : leader;
    return {
      group,
      priorities: numbers,
      reservedOctets: section.ingressReservedBytes,
      alpha: section.ingressAlpha,
      stop: isWhole || pauses.some(isPaused) ? section.pausing : null,
      granted: numbers.some((priority) => isBacked(methods[priority])),
      isOptional: numbers.some((priority) => (leaving & (1 << priority)) !== 0),
    };
  });
}

/** The dynamic threshold of an account while nothing is in the pool. */
function idleThreshold(
  { port, group, reservedOctets }: Margin,
  accounts: readonly (readonly AccountSpec[])[],
  poolOctets: number,
): number {
  return Math.floor(reservedOctets + accounts[port]![group]!.alpha * poolOctets);
}

const TERM_NAMES: readonly (readonly [keyof HeadroomTerms, string])[] = [
  ['waitOctets', 'the longest frame in the way of the control frame'],
  ['controlOctets', 'the control frame'],
  ['linkOctets', 'the link, there and back'],
  ['interfaceOctets', 'interface delays'],
  ['pipelineOctets', 'the ingress pipeline'],
  ['responseOctets', 'the response delay of the link partner'],
  ['frameOctets', 'the longest frame that the link partner has begun'],
  ['cellOctets', 'the memory in cells'],
];

/** The port with the most headroom, and why it is so much. */
function biggestPart(linkEnds: readonly LinkEnd[], margins: readonly Margin[]): string {
  if (margins.length === 0) return '';
  const most = margins.reduce((a, b) => (b.headroomOctets > a.headroomOctets ? b : a));
  const [key, what] = TERM_NAMES.reduce((a, b) => (most.terms[b[0]] > most.terms[a[0]] ? b : a));
  const { name } = linkEnds[most.port]!;
  return (
    `; most of it is at ${name}: ${most.headroomOctets} bytes for ` +
    `priority ${most.priorities.join(', ')}, of which ${most.terms[key]} for ${what}`
  );
}

/** Terms of 802.1Q Annex N, in its order; further terms are of this model of a switch. */
const HEADROOM_TERMS: readonly (readonly [keyof HeadroomTerms, string, string])[] = [
  ['waitOctets', 'W', 'longest frame that this port may just have begun'],
  ['controlOctets', 'P', 'control frame that pauses the link partner'],
  ['linkOctets', '2C', 'link, there and back'],
  ['interfaceOctets', '2ID', 'interface delays of both stations'],
  ['responseOctets', 'HD', 'response delay of the link partner'],
  ['frameOctets', 'F', 'longest frame that the link partner may just have begun'],
  ['pipelineOctets', 'pipeline', 'ingress pipeline, in front of the buffer'],
  ['fullPoolOctets', 'full pool', 'frame that finds the shared buffer taken by others'],
  ['cellOctets', 'cells', 'more, for memory in cells'],
];
const OF_ANNEX_N = ['W', 'P', '2C', '2ID', 'HD', 'F'];

/** Buffer reserved for frames that arrive after XOFF. */
export function headroomSize(margin: Margin, { octetPs }: LinkEnd): PlacedSize {
  const { device, port, priorities, headroomOctets, xoffOctets, xonGapOctets } = margin;
  const terms = HEADROOM_TERMS.map(([key, term, meaning]) =>
    termOf(margin.terms[key], term, meaning, octetPs),
  );
  return {
    ...{ device, port, kind: 'headroom', title: 'headroom (802.1Q Annex N)', priorities, terms },
    annexNOctets: terms.reduce(
      (sum, { term, octets }) => (OF_ANNEX_N.includes(term) ? sum + octets : sum),
      0,
    ),
    neededOctets: margin.terms.totalOctets,
    givenOctets: headroomOctets,
    thresholds: { xoff: xoffOctets, xon: Math.max(0, xoffOctets - xonGapOctets) },
  };
}
