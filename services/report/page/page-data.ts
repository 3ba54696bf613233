import type { FaultForm, FaultLook } from '../../fabric/faults/fault-look.js';
import type { LoadResult, Percentiles, Tally } from '../../measures/statistics.js';
import type { Comparison } from '../comparison/comparison-data.js';
import type { EpisodesView, Figure, FlowsView, LimitView } from './page-flow-data.js';
import type { JobView } from './page-jobs-data.js';
import type { SpreadView } from './page-spread-data.js';

/**
 * What the page knows of a run: plain data, as it stands in the file.
 * Times are ps, rates bit/s, sizes octets. The page runs in a browser and imports nothing else.
 */
export interface RunPage {
  readonly title: string;
  readonly description: string;
  /** What happened, where and why, in a sentence; empty while nothing is known. */
  readonly story: string;
  readonly status: string;
  /** Why and where it failed, in words; null unless it did. */
  readonly failure: string | null;
  readonly digest: string;
  /** Algorithms that came with the scenario, and the SHA-256 of each. */
  readonly plugins: readonly { readonly name: string; readonly sha256: string }[];
  readonly seed: number;
  readonly version: string;
  readonly virtualPs: number;
  readonly frameHops: number;
  readonly devices: number;
  readonly links: number;
  readonly reproduce: Reproduce;
  /** Of all flows together. */
  readonly goodputBps: number;
  readonly finished: Tally;
  readonly priorities: readonly PriorityView[];
  readonly loads: readonly LoadResult[];
  /** What stands still at the end, in words; null: nothing does. */
  readonly standstill: StandstillView | null;
  /** Null where all flows could reach their destinations at the end. */
  readonly unreachable: UnreachableView | null;
  readonly expectations: readonly ExpectationView[];
  readonly map: FabricMap;
  /** In the order of the fabric; the map, heat and plots name a port by its place here. */
  readonly ports: readonly PortView[];
  readonly portFigures: readonly Figure[];
  readonly heat: Heat | null;
  readonly plots: readonly PortPlot[];
  readonly completions: readonly Curve[];
  readonly slowdown: Slowdown;
  readonly spread: SpreadView;
  readonly margins: readonly MarginView[];
  readonly panels: readonly PanelView[];
  /** Of mechanisms, as the summary has them. */
  readonly cards: readonly CardView[];
  /** Those that acted. */
  readonly faults: readonly FaultView[];
  /** Null where its parts were not recorded. */
  readonly trees: TreesView | null;
  readonly flows: FlowsView;
  /** What the trees consist of; null where that is not at hand. */
  readonly episodes: EpisodesView | null;
  /** Null where discovery did not run. */
  readonly discovery: DiscoveryView | null;
  readonly shares: readonly SharesView[];
  readonly jobs: readonly JobView[];
  /** Connections that a rate control has limited, those with most messages first. */
  readonly rates: readonly RateCurve[];
}

/** A kind of fault that a run may be given. */
export interface FaultChoice extends FaultForm {
  readonly kind: string;
}

/** A fault: where and when it acted, and what it did. */
export interface FaultView {
  readonly name: string;
  readonly kind: string;
  readonly look: FaultLook;
  /** Places of its ports. */
  readonly ports: readonly number[];
  /** In order; an end that is null was still to come. */
  readonly spells: readonly (readonly [number, number | null])[];
  readonly text: string;
}

/** A table of the first rows, and sentences. */
export interface CardView {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** How many are left out. */
  readonly more: number;
  readonly lines: readonly string[];
}

/** A device that shows what is inside it, at the end of the run. */
interface PanelView extends Omit<CardView, 'more'> {
  readonly note: string;
  readonly lamps: readonly { readonly name: string; readonly lit: boolean; readonly tip: string }[];
}

export interface Reproduce {
  readonly command: string;
  /** The scenario with its base files and settings merged. */
  readonly scenario: string;
}

export interface StandstillView {
  /** Whether the scenario says that it knows of it. */
  readonly isExpected: boolean;
  /** Cyclic buffer dependencies, port by port. */
  readonly rings: readonly string[];
  readonly count: number;
  /** The first of the flows: name, since when, where it is blocked and by what. */
  readonly flows: readonly {
    readonly name: string;
    readonly sincePs: number;
    readonly place: string;
    readonly cause: string;
  }[];
}

/** Flows that could not reach their destination when the run ended. */
export interface UnreachableView {
  readonly count: number;
  /** The first of them, where their frames end and why. */
  readonly flows: readonly {
    readonly name: string;
    readonly place: string;
    readonly cause: string;
  }[];
}

export interface PriorityView {
  readonly priority: number;
  readonly flowControl: string;
  readonly goodputBps: number;
  readonly frames: number;
  /** Flows with a volume. */
  readonly finished: Tally;
  readonly completionPs: Percentiles | null;
  readonly slowdown: Percentiles | null;
  readonly drops: number;
  /** Of its ports, with their heads. */
  readonly counts: readonly (readonly [head: string, frames: number])[];
}

interface ExpectationView {
  readonly text: string;
  readonly actual: string;
  readonly ok: boolean;
}

export interface FabricMap {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly {
    readonly label: string;
    readonly names: string;
    readonly layer: number;
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
    readonly ports: readonly number[];
  }[];
  readonly links: readonly MapLink[];
}

/** A line, its colour from the ports at both ends; hosts in one box share a line. */
export interface MapLink {
  readonly path: string;
  /** Its flow controls; empty where all links have the same. */
  readonly label: string;
  readonly a: MapEnd;
  readonly b: MapEnd;
}

export interface MapEnd {
  readonly x: number;
  readonly y: number;
  readonly ports: readonly number[];
}

export interface PortView {
  readonly name: string;
  readonly peer: string;
  readonly rateBps: number;
  /** Names of its flow controls; empty where it has none. */
  readonly flowControl: string;
  /** Of the run: share of the time that frames were being sent, and that it was blocked. */
  readonly busy: number;
  readonly blocked: number;
  /** How long its priority was blocked that was so longest, and its longest queue. */
  readonly longest: { readonly blocked: number; readonly queue: number };
  readonly txOctets: number;
  /** As `portFigures`. */
  readonly figures: readonly number[];
  readonly drops: number;
}

/**
 * All ports over time: an octet each, time by time and in the order of the ports, in base64.
 * Busy and blocked are shares of a time's span; a queue is a share of `queueMax`.
 */
export interface Heat {
  /** End of each span. */
  readonly timesPs: readonly number[];
  readonly busy: string;
  readonly blocked: string;
  readonly queue: string;
  readonly queueMax: number;
}

/** A port of interest, by priority, at the times of the heat; null: zero throughout. */
export interface PortPlot {
  readonly port: number;
  readonly priority: number;
  readonly rateBps: readonly number[] | null;
  readonly blocked: readonly number[] | null;
  readonly queueOctets: readonly number[] | null;
  readonly ingressOctets: readonly number[] | null;
  readonly drops: readonly number[] | null;
  /** In the hand of the port. */
  readonly grantedUnits: readonly number[] | null;
  readonly limits: readonly LimitView[];
}

/** At the times of the heat; null: at line rate. */
export interface RateCurve {
  readonly flow: string;
  readonly rateBps: readonly (number | null)[];
}

/** A distribution: shares (0..1) at values that rise. */
export interface Curve {
  readonly label: string;
  /** Flows that are complete, and all of them: the curve ends at the one over the other. */
  readonly count: number;
  readonly total: number;
  readonly values: readonly number[];
  readonly shares: readonly number[];
}

export interface Slowdown {
  readonly bins: readonly {
    readonly octets: number;
    readonly slowdown: Percentiles;
  }[];
  /** Some of the flows: octets and slowdown. */
  readonly points: readonly (readonly [number, number])[];
}

export interface MarginView {
  readonly port: string;
  readonly priority: number;
  readonly peakOctets: number;
  readonly headroomOctets: number;
  readonly headroomUsedOctets: number;
  readonly neededOctets: number;
}

/** Mechanisms by which a link partner pauses a port; any other blocks it. */
export const PAUSES: readonly string[] = ['pause', 'pfc'];
/** What a port that is blocked lacks. */
export const LACKED = 'credit';

export interface TreesView {
  readonly episodes: number;
  /** Smaller trees, which are not shown. */
  readonly omitted: number;
  readonly trees: readonly TreeView[];
  readonly deadlocks: readonly {
    readonly closedPs: number;
    /** Null: it never opened. */
    readonly openedPs: number | null;
    readonly ring: readonly {
      readonly ingress: string;
      readonly egress: string;
      readonly priority: number;
    }[];
  }[];
  readonly storms: readonly {
    readonly port: string;
    readonly priority: number | null;
    readonly startPs: number;
    readonly endPs: number | null;
  }[];
}

/** What one place of congestion brought about, up to the senders. */
export interface TreeView {
  readonly reason: string;
  readonly startPs: number;
  readonly clearedPs: number | null;
  readonly episodes: number;
  readonly ports: number;
  readonly devices: number;
  readonly depth: number;
  readonly frameTimePs: number;
  /** Flows that fill its root, with their share of it. */
  readonly culprits: readonly { readonly flow: string; readonly share: number }[];
  /** Null: more than are told apart. */
  readonly culpritCount: number | null;
  readonly victims: readonly string[];
  readonly victimCount: number;
  readonly root: TreeNode;
}

export interface TreeNode {
  readonly kind: 'queue' | 'full' | 'blocked';
  readonly name: string;
  readonly port: number | null;
  readonly priority: number | null;
  readonly mechanism: string;
  readonly times: number;
  /** Null: it had not cleared at the end. */
  readonly totalPs: number | null;
  readonly frameTimePs: number;
  readonly children: readonly TreeNode[];
  /** Children that are not shown. */
  readonly omitted: number;
}

export interface DiscoveryView {
  readonly lldpdus: number;
  readonly convergence: readonly {
    readonly fromPs: number;
    readonly durationPs: number | null;
  }[];
  readonly groups: readonly DcbxGroup[];
}

/** Local, remote and operational, in words. */
export interface DcbxCells {
  readonly pfc: readonly [string, string, string];
  readonly ets: readonly [string, string, string];
  readonly credit: string;
}

/** Ports at which DCBX came to the same. */
export interface DcbxGroup extends DcbxCells {
  readonly dcbx: string;
  readonly mismatches: readonly string[];
  readonly ports: readonly number[];
}

export interface SharesView {
  readonly port: number;
  readonly wireOctets: number;
  readonly classes: readonly {
    readonly trafficClass: number;
    readonly priorities: readonly number[];
    /** Percent; null: strict, it goes first. */
    readonly wanted: number | null;
    readonly got: number;
  }[];
}

/** One scenario with every combination of some values; runs as `combinations` has them. */
export interface SweepPage {
  readonly title: string;
  readonly description: string;
  readonly command: string;
  /** By run: the command that repeats it alone. */
  readonly runCommands: readonly string[];
  readonly axes: readonly { readonly name: string; readonly values: readonly string[] }[];
  /** Which point comes first, and by what. */
  readonly verdict: string;
  /** What is 0 everywhere, and values of axes that make no difference. */
  readonly notes: readonly string[];
  readonly measures: readonly SweepMeasure[];
}

export interface SweepMeasure {
  readonly label: string;
  readonly moreIsBetter: boolean;
  /** By run. */
  readonly values: readonly SweepValue[];
  readonly texts: readonly string[];
}

/** Never: worse than all that are known; null: the run has nothing of the kind. */
export type SweepValue = number | 'never' | null;

/** What stands in the page's file. */
export interface PageContent {
  readonly runs: readonly RunPage[];
  /** Of several runs: which comes first, and by what. */
  readonly comparison?: Comparison;
  /** Instead of runs. */
  readonly sweep?: SweepPage;
  /** The only run goes on, and its news are sent. */
  readonly live?: { readonly faults: readonly FaultChoice[] };
}
