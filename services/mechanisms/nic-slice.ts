import type { z } from 'zod';
import type { Conformance } from '../engine/contract/conformance.js';
import type { NicSpec, RegisterChange } from '../engine/contract/spec.js';
import type { Engine } from '../engine/device/engine.js';
import type { EtsTable } from '../engine/wire/lldp/dcbx-ieee.js';
import type { Path } from '../settings/source-tree.js';
import type { Card, CardFormat, Panel, SliceMetric } from './mechanism-slice.js';
import type {
  Cabling,
  Fail,
  NicFlow,
  NicHost,
  NicPart,
  NicPort,
  NicResult,
  NicSection,
  NicSource,
  Warn,
} from './nic-context.js';

/** A NIC that is more than a queue for each class: from its keys to what its actor is given. */
export interface NicSlice<
  Section extends NicSection = NicSection,
  Result extends NicResult = NicResult,
  Metric extends string = string,
> {
  /** As help calls one. */
  readonly called: string;
  readonly conformance: Conformance;
  /** Of `nic`, which may be a plain one, too. */
  readonly schema: z.ZodType;
  /** Of `nic` at a path; null for the plain NIC. */
  section(nic: unknown, path: Path, located: NicSource): Section | null;
  spec(port: NicPort<Section>, fail: Fail, warn: Warn): NicSpec;
  /** Shares and classes as the registers have them when the run begins. */
  tableOfRegisters(section: Section, host: NicHost): EtsTable;
  /** The part that a port with a link of this rate belongs to. */
  partOf(
    section: Section,
    linkBps: number,
    cabling: Cabling,
    nicOf: (device: number) => Section | null,
  ): NicPart<Section>;
  /** Hosts whose ports are on one part: the first and the second port. */
  portPairs(
    cabling: Cabling,
    nicOf: (device: number) => Section | null,
    fail: Fail,
  ): readonly (readonly [number, number])[];
  /** Flows with the tags that the NICs of their ends insert. */
  withInsertedVlans<Flow extends NicFlow>(
    flows: readonly Flow[],
    nicOf: (host: number) => Section | null,
    fail: Fail,
  ): readonly Flow[];
  checkVms(section: Section, flows: readonly NicFlow[], host: number, fail: Fail): void;
  /** What a host needs whose flow stays within it. */
  readonly needsOfLocalFlow: string;
  /** Writes that make one of them another while it runs, and what none can change. */
  registerChanges(before: NicSpec, after: NicSpec): readonly RegisterChange[];
  lastingDifference(before: NicSpec | null, after: NicSpec | null): string | null;
  /** What a fault writes in the place of the classes of priorities, and what it needs. */
  mapOf(classes: readonly number[]): number;
  readonly needsOfMap: string;
  /** Of every host that has one. */
  results(engine: Engine, nowPs: number): readonly Result[];
  /** What the summary and the page show of all of them. */
  cards(results: { readonly nics: readonly Result[] }, format: CardFormat): readonly Card[];
  /** What the page shows of each. */
  panel(nic: Result, format: CardFormat): Panel;
  /** What `selvage inspect` prints of one: tables, registers by name, and all by address. */
  title(nic: Result, format: CardFormat): string;
  tables(nic: Result, format: CardFormat): readonly Card[];
  registerValue(nic: Result, name: string, fail: (message: string) => Error): number;
  registerText(name: string, value: number): string;
  dump(nic: Result): unknown;
  dumpText(nic: Result): string;
  /** Compares the service that arbiters of a host's NIC give with its registers. */
  shares(engine: Engine, device: number): NicShares;
  /** Why a lossless frame was lost in a receive buffer. */
  lossReason(trafficClass: number): string;
  /** Measures for `expect`. */
  readonly metrics: Readonly<Record<Metric, SliceMetric<{ readonly nics: readonly Result[] }>>>;
  /** Texts of `selvage explain`. */
  readonly topics: Readonly<Record<string, string>>;
}

/** Shares of one NIC: each says the violation, or null. */
export interface NicShares {
  /** A frame starts on the wire. */
  sent(trafficClass: number, octets: number, eligible: number): string | null;
  /** An arbiter inside has chosen. */
  granted(arbiter: number, party: number, octets: number, eligible: number): string | null;
}
