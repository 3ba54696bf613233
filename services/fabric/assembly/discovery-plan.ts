import {
  PRIORITY_NUMBERS,
  TAGGED_FRAME_OCTETS_MAX,
  TRAFFIC_CLASSES,
} from '../../engine/units/ethernet.js';
import type { ArbiterSpec } from '../../engine/contract/arbiter.js';
import type {
  BuiltLink,
  DcbxAdmin,
  DiscoveryAdmin,
  DiscoveryPortSpec,
} from '../../engine/contract/discovery.js';
import type { GrantsSpec } from '../../engine/contract/grants-spec.js';
import { readU48 } from '../../engine/wire/big-endian.js';
import {
  type Application,
  type Ets,
  type EtsTable,
  TSA_ETS,
  TSA_STRICT,
  TSA_VENDOR,
} from '../../engine/wire/lldp/dcbx-ieee.js';
import { NO_MECHANISM_TLVS } from '../../engine/wire/lldp/mechanism-tlvs.js';
import { switchPortMac } from '../address.js';
import type { Path } from '../../settings/source-tree.js';
import type { DiscoveryEndSection, DiscoverySection } from '../scenario/discovery-section.js';
import { matchesGlob } from '../scenario/selector.js';
import { NameTable } from '../topology/select-devices.js';
import { fixedClasses, problemOfClasses } from './fixed-classes.js';
import { EXCHANGE, NIC, WHOLE_PORT } from '../../mechanisms/registry.js';
import { nicHost } from './nic-host.js';
import type { LinkEnd } from './link-ends.js';
import { isPausable, needsGrants } from './link-methods.js';
import {
  type Advertisement,
  type AdvertisingPort,
  maskOf,
  type PlannedMechanism,
} from '../../mechanisms/mechanism-slice.js';
import { fallbackAt } from './port-settings.js';
import { exchangedOf, negotiatedOf } from './prospects.js';
import type { ResolvedFabric } from './resolved-fabric.js';

const BRIDGE_VLAN_DEFAULT = 1;
/** Payload of the longest basic frame (802.3 3.2.7). */
const MTU_USUAL = 1500;

/** What an administrator has set at a device. */
interface Configuration {
  readonly end: DiscoveryEndSection;
  readonly pfc: number;
  readonly grants: number;
  readonly arbiter: ArbiterSpec;
  /** The table of a NIC's registers, which replaces it; null for ports without. */
  readonly hardware: EtsTable | null;
}

/** Plans LLDP and DCBX of each port. */
export class DiscoveryPlan {
  private readonly epochsPs: readonly number[];
  /** By device: priorities that stay in their class, one bit each. */
  private readonly fixed: readonly number[];

  constructor(
    private readonly input: ResolvedFabric,
    /** They are planned after it is checked. */
    private readonly mechanisms: () => readonly PlannedMechanism[],
  ) {
    const { scenario, topology, settings, fail } = input;
    this.epochsPs = epochsOf(scenario.discovery);
    this.fixed = fixedClasses(input, settings, input);
    for (const change of scenario.discovery.changes) {
      const { devices, index, end } = change;
      const path = ['discovery', 'changes', index];
      const reject = (message: string): Error => fail([...path, 'devices'], message);
      new NameTable(topology, 'device', reject).select(devices);
      if (end.classes) this.checkClasses(devices, end.classes, [...path, 'classes']);
      if (change.pfc) this.checkMemory(devices, 'pfc', [...path, 'pfc']);
      if (change.grants) this.checkMemory(devices, EXCHANGE, [...path, EXCHANGE]);
    }
  }

  /** Refuses a change to a method that a part does not have: it would wait for an agreement. */
  private checkMemory(devices: string, method: string, path: Path): void {
    const { topology, fail } = this.input;
    topology.devices.forEach(({ name, kind }, device) => {
      const { model } = this.input.settings[device]!.switch;
      if (kind !== 'switch' || model === 'shared-buffer' || !matchesGlob(devices, name)) return;
      throw fail(
        path,
        `${name} has no ${method}: an ${model} knows PAUSE only; name other devices`,
      );
    });
  }

  /** Refuses a change that moves a priority whose class a mechanism depends on. */
  private checkClasses(devices: string, classes: readonly number[], path: Path): void {
    const { scenario, topology, fail } = this.input;
    if (!scenario.discovery.drives) return;
    topology.devices.forEach(({ name }, device) => {
      if (!matchesGlob(devices, name)) return;
      const problem = problemOfClasses(this.fixed[device]!, classes, scenario);
      if (problem !== null) throw fail(path, `${name}: ${problem}`);
    });
  }

  /** `grants`: what frames start with where both ends agree on it. */
  port(end: LinkEnd, grants: GrantsSpec | null): DiscoveryPortSpec | null {
    const { discovery } = this.input.scenario;
    if (!discovery.enabled) return null;
    return {
      tickPs: tickOf(discovery.secondPs, this.input.settings[end.device]!.discovery.driftPpm),
      timers: discovery.timers,
      neighborsMost: discovery.neighborsMost,
      destinations: discovery.destinations,
      identifier: this.input.settings[end.device]!.discovery.identifier,
      identity: this.identity(end),
      stages: this.stages(end, grants),
      drives: discovery.drives,
      epochsPs: this.epochsPs,
      built: this.builtFor(end),
      learned: discovery.destinations.map(() => null),
    };
  }

  /** That it sends and receives, with a tag: by its MTU, or as long as loads send them. */
  private longestFrameAt(device: number, port: number): number {
    const { mtuOctets } = this.input.ports[device]![port]!;
    if (mtuOctets !== null) return mtuOctets + TAGGED_FRAME_OCTETS_MAX - MTU_USUAL;
    return Math.max(TAGGED_FRAME_OCTETS_MAX, this.input.longestOctets);
  }

  private builtFor(end: LinkEnd): BuiltLink {
    const methods = this.input.methods[end.device]![end.port]!;
    const among = (is: (method: string) => boolean): number =>
      maskOf(PRIORITY_NUMBERS.filter((priority) => is(methods[priority]!)));
    const [channels = null] = this.mechanisms().flatMap(
      ({ slice, plan }) => slice.channelTerms?.(end, plan) ?? [],
    );
    return {
      wholePort: methods[0] === WHOLE_PORT,
      pausable: among(isPausable),
      grants: among(needsGrants),
      grantsOnly: this.heldAt(end),
      channels,
    };
  }

  /** Priorities that wait where they have no grants, one bit each: no other method is allowed. */
  private heldAt({ device, port }: LinkEnd): number {
    const own = this.input.ports[device]![port]!;
    const holds = (priority: number): boolean =>
      ['refuse', WHOLE_PORT].includes(fallbackAt(own, priority, EXCHANGE));
    return maskOf(PRIORITY_NUMBERS.filter(holds));
  }

  private identity({ device, port, name }: LinkEnd): DiscoveryPortSpec['identity'] {
    const { topology, addresses } = this.input;
    const { name: systemName, kind } = topology.devices[device]!;
    const isBridge = kind === 'switch';
    const mac = isBridge ? switchPortMac(device, port) : addresses[device]!.mac;
    const chassis = isBridge ? switchPortMac(device, 0) : mac;
    const own = this.input.settings[device]!.switch;
    const vlans = own.ports.find((section) => section.port === port + 1);
    const bridged = isBridge && own.forwarding === 'bridged';
    return {
      chassisMac: readU48(chassis, 0),
      mac: readU48(mac, 0),
      portId: name.slice(name.indexOf(':') + 1),
      portDescription: name,
      systemName,
      systemDescription: `Selvage emulated ${kind}`,
      isBridge,
      portNumber: port + 1,
      ipv4: isBridge ? null : addresses[device]!.ipv4,
      vlan: bridged ? (vlans?.native ?? BRIDGE_VLAN_DEFAULT) : 0,
      maximumFrameOctets: this.longestFrameAt(device, port),
    };
  }

  private stages(end: LinkEnd, grants: GrantsSpec | null): DiscoveryPortSpec['stages'] {
    const { device, port } = end;
    const { scenario, topology } = this.input;
    const { name, kind } = topology.devices[device]!;
    const own = this.input.settings[device]!;
    const settings = this.input.ports[device]![port]!;
    const { nic } = own.host;
    const arbiter = kind === 'host' ? own.host.arbiter : own.switch.arbiter;
    const link = {
      linkBps: end.link.rateBps,
      longestFrameOctets: this.input.linkFrames[device]![port]!.longestOctets,
    };
    const hardware =
      NIC !== null && kind === 'host' && nic?.dcb === true
        ? NIC.tableOfRegisters(nic, nicHost(name, settings, scenario, link))
        : null;
    let now: Configuration = {
      end: own.discovery,
      pfc: negotiatedOf(settings),
      grants: exchangedOf(settings),
      arbiter: arbiter ?? scenario.classes.arbiter,
      hardware,
    };
    const stages = [{ fromPs: 0, admin: this.admin(end, now, grants) }];
    for (const change of scenario.discovery.changes) {
      if (!matchesGlob(change.devices, name)) continue;
      const { arbiter: kept } = change;
      if (hardware !== null && kept !== null && kept.kind !== 'ets' && kept.kind !== 'strict') {
        const path = ['discovery', 'changes', change.index, 'arbiter'];
        throw this.input.fail(path, `${name}: DCBX gives its NIC ets or strict, not ${kept.kind}`);
      }
      now = {
        ...now,
        end: { ...now.end, ...change.end },
        // A port with PAUSE has no flow control by priority, and gets none.
        ...(settings.pause === null && {
          pfc: change.pfc ?? now.pfc,
          grants: change.grants ?? now.grants,
        }),
        arbiter: change.arbiter ?? now.arbiter,
        hardware: change.arbiter === null ? now.hardware : null,
      };
      stages.push({ fromPs: change.atPs, admin: this.admin(end, now, grants) });
    }
    return stages;
  }

  private admin(
    { device, port }: LinkEnd,
    configuration: Configuration,
    grants: GrantsSpec | null,
  ): DiscoveryAdmin {
    const { end } = configuration;
    const at = this.advertisingPort({ device, port, grants }, configuration);
    const { applications = [], ...tlvs } = this.advertised(at);
    return {
      status: end.status,
      dcbx: this.dcbx(device, configuration, applications),
      exchange: null,
      ...NO_MECHANISM_TLVS,
      congestionNotification: null,
      ...tlvs,
    };
  }

  /** What mechanisms advertise at a port. */
  private advertised(at: AdvertisingPort): Advertisement {
    const own = this.mechanisms().map(
      ({ slice, context, plan }) => slice.advertise?.(at, context, plan) ?? {},
    );
    // One TLV says which protocols of the link layer there are.
    const layers = own.flatMap(({ linkLayer }) => linkLayer ?? []);
    const [first] = layers;
    const retry = layers.some((layer) => layer.retry);
    const credits = layers.some((layer) => layer.credits);
    const linkLayer = first === undefined ? {} : { linkLayer: { ...first, retry, credits } };
    return Object.assign({}, ...own, linkLayer) as Advertisement;
  }

  private dcbx(
    device: number,
    configuration: Configuration,
    applications: readonly Application[],
  ): DcbxAdmin {
    const { end, pfc, arbiter, hardware } = configuration;
    const classOf = end.classes ?? this.input.scenario.classes.transmit;
    const isHost = this.input.topology.devices[device]!.kind === 'host';
    const nic = isHost ? this.input.settings[device]!.host.nic : null;
    const classes = nic?.dcb === true ? nic.classes : TRAFFIC_CLASSES;
    const willing = end.willing.includes('ets');
    const ets = { ...etsOf(arbiter, classOf, willing), ...hardware, classOf, classes };
    const canRecommend = end.recommend && !ets.algorithms.includes(TSA_VENDOR);
    return {
      mode: end.dcbx,
      ets,
      recommendation: canRecommend ? { ...ets, willing: false } : null,
      pfc: {
        willing: end.willing.includes('pfc'),
        noMacsecBypass: false,
        capability: end.pfcCapability,
        enabled: pfc,
      },
      applications: [...end.applications, ...applications],
      fixedClasses: this.fixed[device]!,
    };
  }

  private advertisingPort(
    at: Pick<AdvertisingPort, 'device' | 'port' | 'grants'>,
    { end, grants }: Configuration,
  ): AdvertisingPort {
    const { scenario, topology } = this.input;
    const { name } = topology.devices[at.device]!;
    const change = scenario.discovery.changes.find(
      ({ devices, grants: changed }) => changed !== null && matchesGlob(devices, name),
    );
    return {
      ...at,
      capable: this.input.prospects[at.device]![at.port]!.grants,
      enabled: grants,
      willing: end.willing.includes(EXCHANGE),
      sendsDcbx: end.dcbx !== 'off',
      changedAt: change === undefined ? null : ['discovery', 'changes', change.index, EXCHANGE],
    };
  }
}

/** The beginning, and every time at which an administrator changes the configuration. */
export function epochsOf({ changes }: DiscoverySection): number[] {
  return [...new Set([0, ...changes.map(({ atPs }) => atPs)])];
}

/** A second of a clock that is fast by some parts in a million. */
function tickOf(secondPs: number, driftPpm: number): number {
  return Math.max(1, Math.round(secondPs / (1 + driftPpm / 1e6)));
}

/** An arbiter as an ETS TLV. */
function etsOf(arbiter: ArbiterSpec, classOf: readonly number[], willing: boolean): Ets {
  const shares =
    arbiter.kind === 'ets' ? arbiter.shares : new Array<null>(TRAFFIC_CLASSES).fill(null);
  const isVendors = arbiter.kind !== 'ets' && arbiter.kind !== 'strict';
  const strict = isVendors ? TSA_VENDOR : TSA_STRICT;
  return {
    willing,
    shaper: false,
    classes: TRAFFIC_CLASSES,
    classOf,
    shares: shares.map((share) => share ?? 0),
    algorithms: shares.map((share) => (share === null ? strict : TSA_ETS)),
  };
}
