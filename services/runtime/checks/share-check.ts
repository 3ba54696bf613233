import { TRAFFIC_CLASSES, WIRE_OVERHEAD_OCTETS } from '../../engine/units/ethernet.js';
import type { ArbiterSpec } from '../../engine/contract/arbiter.js';
import type { Engine } from '../../engine/device/engine.js';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import { LENGTH } from '../../engine/frame/frame-pool.js';
import { type Ets, TSA_ETS } from '../../engine/wire/lldp/dcbx-ieee.js';
import { breachOfDueDates } from './shares/due-date-check.js';
import type { NicShares } from '../../mechanisms/nic-slice.js';
import { NIC } from '../../mechanisms/registry.js';
import type { Rounds } from './shares/port-shares.js';
import { PortShares, roundsOf, roundsOfEts } from './shares/port-shares.js';
import { TenantShares } from './shares/tenant-shares.js';

const TENANT_GOT_MORE = 'a tenant got more than its share of its class';

/** Service of a port since its shares last changed. */
interface Sharing {
  readonly rounds: Rounds;
  readonly shares: PortShares;
  /** The negotiated table, if shares are negotiated. */
  readonly ets: Ets | null;
}

/** What an operational table asks of an arbiter, by the table itself. */
function roundsOfTable({ algorithms, shares }: Ets): Rounds {
  return roundsOfEts(shares.map((share, tc) => (algorithms[tc] === TSA_ETS ? share : null)));
}

/**
 * Compares the service that each arbiter gives with the configured shares: classes of a port,
 * tenants of a class, and classes and virtual machines in a NIC.
 */
export class ShareCheck {
  /** By port; by port and traffic class; by device: each since its first frame. */
  private readonly ports = new Map<number, Sharing>();
  private readonly tenants = new Map<number, TenantShares>();
  private readonly nics = new Map<number, NicShares>();

  constructor(private readonly engine: Engine) {}

  /** The run continues from another state. */
  restored(): void {
    this.ports.clear();
    this.tenants.clear();
    this.nics.clear();
  }

  /** A frame that was scheduled at a port will not be sent; its class has had its turn. */
  discarded(port: number): void {
    this.ports.delete(port);
    for (let tc = 0; tc < TRAFFIC_CLASSES; tc++) this.tenants.delete(port * TRAFFIC_CLASSES + tc);
  }

  /** An account at a port (numbered through the service) lacks a grant from now on. */
  lacksGrants(port: number, priority: number, channel: number): void {
    const { accounts } = this.engine.books;
    const row = accounts.rowOfChannel(port, priority, channel);
    this.tenants.get(port * TRAFFIC_CLASSES + accounts.trafficClass(row))?.lacksGrants(row);
  }

  /** A frame starts at a port (numbered through the service): the violation, or null. */
  sent(
    device: number,
    port: number,
    pool: FramePool,
    frame: number,
    tc: number,
    eligible: number,
  ): string | null {
    const octets = pool.words[frame + LENGTH]!;
    const { spec, firstPort } = this.engine.devices[device]!;
    const { arbiter } = spec.ports[port - firstPort]!;
    if (arbiter.kind === 'due-dates') {
      const late = breachOfDueDates(this.engine, arbiter, port, frame, tc, eligible);
      const isBounded = arbiter.boundsPs.some((bound, c) => bound !== null && c === tc);
      if (late !== null || isBounded) return late;
    }
    const wrong = this.wrongAt(device, port, { tc, octets, eligible });
    if (wrong !== null || !this.engine.shared.ports.isMetered(port, tc)) return wrong;
    const tenants = this.tenantsOf(port, tc);
    return tenants === null || tenants.isFair(frame) ? null : TENANT_GOT_MORE;
  }

  /** Shares of classes; those of an arbiter from outside are nobody's to judge. */
  private wrongAt(
    device: number,
    port: number,
    {
      tc,
      octets,
      eligible,
    }: { readonly tc: number; readonly octets: number; readonly eligible: number },
  ): string | null {
    const nic = this.nicOf(device);
    if (nic !== null) return nic.sent(tc, octets, eligible);
    const { spec, firstPort } = this.engine.devices[device]!;
    if (spec.ports[port - firstPort]!.arbiter.kind === 'outside') return null;
    return this.sharingOf(device, port).breach(tc, octets + WIRE_OVERHEAD_OCTETS, eligible);
  }

  /** An arbiter inside a NIC has chosen. */
  granted(
    device: number,
    arbiter: number,
    party: number,
    octets: number,
    eligible: number,
  ): string | null {
    return this.nicOf(device)!.granted(arbiter, party, octets, eligible);
  }

  private sharingOf(device: number, port: number): PortShares {
    const known = this.ports.get(port);
    const ets = this.negotiated(port);
    if (known?.ets === ets) return known.shares;
    const { spec, firstPort } = this.engine.devices[device]!;
    const { arbiter } = spec.ports[port - firstPort]!;
    const isNegotiated = ets !== null && arbiter.kind === 'ets';
    const rounds = isNegotiated ? roundsOfTable(ets) : roundsOf(arbiter);
    const isSame = known?.rounds.every((round, tc) => round === rounds[tc]) === true;
    const shares = isSame ? known.shares : this.sharesBy(rounds, port, arbiter, known ?? null);
    this.ports.set(port, { rounds, shares, ets });
    return shares;
  }

  private sharesBy(
    rounds: Rounds,
    port: number,
    { kind }: ArbiterSpec,
    before: Sharing | null,
  ): PortShares {
    const { queues } = this.engine.shared;
    return new PortShares(queues, port, rounds, kind === 'round-robin', before?.rounds ?? null);
  }

  /** The negotiated table of a port, if it applies. */
  private negotiated(port: number): Ets | null {
    const { ports, specs } = this.engine.discovery;
    return specs[port]?.drives === true ? ports[port]!.operation.ets : null;
  }

  private tenantsOf(port: number, tc: number): TenantShares | null {
    const known = this.tenants.get(port * TRAFFIC_CLASSES + tc);
    if (known !== undefined) return known;
    const rows = this.engine.books.accounts.rowsOfClass(port, tc);
    if (rows.length < 2) return null;
    const tenants = new TenantShares(this.engine, port, tc, rows);
    this.tenants.set(port * TRAFFIC_CLASSES + tc, tenants);
    return tenants;
  }

  private nicOf(device: number): NicShares | null {
    const known = this.nics.get(device);
    if (known !== undefined) return known;
    const { spec } = this.engine.devices[device]!;
    if (NIC === null || spec.kind !== 'host' || spec.nic === null) return null;
    const shares = NIC.shares(this.engine, device);
    this.nics.set(device, shares);
    return shares;
  }
}
