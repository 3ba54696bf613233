import type { RateHost, RateSpec } from '../engine/contract/rate-control.js';
import { unknown } from '../engine/kernel/kinds.js';
import { field } from '../engine/kernel/fields.js';
import type { Tables } from '../engine/kernel/tables.js';
import { TabledRates } from '../engine/pacing/tabled-rates.js';
import type { LimitedFlow } from '../mechanisms/rate-control-slice.js';
import type { Acknowledgement, Answer, Connection, CongestionControl, Numbers } from './api.js';
import { failureOf, fieldsOf, type NamedPlugin, numberOf, thrownBy } from './views.js';
import { RATE_MIN_BPS } from '../mechanisms/rate-control-slice.js';

/** A congestion control of a plugin, of one connection. */
interface PluginSpec extends RateSpec, Pick<LimitedFlow, 'packetOctets' | 'hops'> {
  readonly settings: Numbers;
}

// Words of a connection's record; the plugin's fields follow.

const RATE = 0;
const LINE = 1;
const LEAST = 2;
const FEEDBACKS = 3;
const CUTS = 4;
const WINDOW = 5;
const FIELDS = 6;

// Behind the fields, of a control that is told of every acknowledgement.

/** Packets that were acknowledged; the first that was never sent. */
const ACKED = 0;
const HIGHEST = 1;
/** By packet: when it was sent; -1 where it was sent again. */
const SENT_AT = 2;
const SENT_MOST = 128;

const WAKE = 0;
/** So often, for each connection, may timers expire without time going on. */
const WAKES_MOST = 1000;

const INVARIANTS = {
  rateIsWithinBounds: (table: Float64Array, s: number): boolean =>
    table[s + RATE]! >= RATE_MIN_BPS && table[s + RATE]! <= table[s + LINE]!,
};

/** Runs the congestion control of a plugin for all connections that have it. */
export class PluginControl extends TabledRates<PluginSpec> {
  protected override readonly invariants = INVARIANTS;
  override readonly timesPackets: boolean;
  override readonly seesAnswers: boolean;
  /** Where the declared fields end in a record. */
  private readonly ownEnd: number;
  private readonly answer = makeAnswerView();
  private readonly view: ConnectionView;
  private readonly acknowledgement = makeAcknowledgementView();
  private readonly initial: readonly number[];
  private readonly named: NamedPlugin;
  /** When a timer last expired, and how many have at that time. */
  private wokenPs = -1;
  private wakes = 0;

  constructor(
    tables: Tables,
    host: RateHost,
    private readonly plugin: CongestionControl,
    file: string,
  ) {
    const ownEnd = FIELDS + Object.keys(plugin.state).length;
    const stride = ownEnd + (plugin.answered === undefined ? 0 : SENT_AT + SENT_MOST);
    // Nobody knows what numbers of a plugin stand for.
    const fields = field('plugin', unknown(0), stride);
    const shown = { rate: RATE, target: RATE, line: LINE, least: LEAST };
    super(tables, host, { fields, ...shown, notifications: FEEDBACKS, cuts: CUTS });
    this.timesPackets = plugin.acknowledged !== undefined;
    this.seesAnswers = plugin.answered !== undefined;
    this.ownEnd = ownEnd;
    this.initial = Object.values(plugin.state);
    this.named = { name: plugin.name, file };
    this.view = makeConnectionView(this.table, host, plugin);
  }

  protected initialise(s: number, lineBps: number): void {
    this.table.set([lineBps, lineBps, lineBps, 0, 0, Infinity, ...this.initial], s);
  }

  override configure(row: number, spec: PluginSpec, lineBps: number): void {
    super.configure(row, spec, lineBps);
    this.call(row, this.plugin.start, undefined);
  }

  override sent(row: number, octets: number): void {
    if (this.seesAnswers) this.time(this.at(row) + this.ownEnd, this.host.nextPacket(row) - 1);
    this.call(row, this.plugin.sent, octets);
  }

  override measured(row: number, roundTripPs: number, hostPs: number, packets: number): void {
    this.acknowledgement.show(roundTripPs, hostPs, packets);
    this.table[this.at(row) + FEEDBACKS]!++;
    this.call(row, this.plugin.acknowledged, this.acknowledgement.acknowledgement);
  }

  override answered(row: number, packets: number, isMarked: boolean): void {
    const { table } = this;
    const s = this.at(row) + this.ownEnd;
    table[s + ACKED]! += packets;
    if (isMarked) table[this.at(row) + FEEDBACKS]!++;
    const newest = table[s + ACKED]! - 1;
    const isKept = table[s + HIGHEST]! - newest <= SENT_MOST;
    const sentPs = isKept ? table[s + SENT_AT + (newest % SENT_MOST)]! : -1;
    this.answer.show(packets, isMarked, sentPs < 0 ? null : this.host.clock.now - sentPs);
    this.call(row, this.plugin.answered, this.answer.answer);
  }

  /** A packet that is sent again tells no round trip: which of both was acknowledged is unknown. */
  private time(s: number, packet: number): void {
    const { table } = this;
    const isFirst = packet >= table[s + HIGHEST]!;
    table[s + SENT_AT + (packet % SENT_MOST)] = isFirst ? this.host.clock.now : -1;
    if (isFirst) table[s + HIGHEST] = packet + 1;
  }

  override lost(row: number, timedOut: boolean): void {
    this.call(row, this.plugin.lost, timedOut);
  }

  override notified(row: number): void {
    this.table[this.at(row) + FEEDBACKS]!++;
    this.call(row, this.plugin.marked, undefined);
  }

  /** When everything is delivered, no further calls are needed. */
  override onTimer(row: number): void {
    if (this.host.isDone(row)) return;
    this.checkProgress(row);
    this.call(row, this.plugin.timer, undefined);
  }

  private checkProgress(row: number): void {
    const { now } = this.host.clock;
    this.wakes = now === this.wokenPs ? this.wakes + 1 : 0;
    this.wokenPs = now;
    if (this.wakes <= WAKES_MOST * this.specs.length) return;
    throw this.failure(row, `timer is called again and again: wakeAt(${now}) at that time`);
  }

  private call<Event>(row: number, hook: Hook<Event> | undefined, event: Event): void {
    if (hook === undefined) return;
    const { view } = this;
    view.show(row, this.at(row), this.specs[row]!);
    try {
      hook(view.connection, event);
    } catch (error) {
      throw this.failure(row, thrownBy(this.named, error));
    }
  }

  private failure(row: number, reason: string): Error {
    return failureOf(this.named, this.host.clock.now, this.host.deviceOf(row), reason);
  }
}

type Hook<Event> = (connection: Connection, event: Event) => void;

/** One object for all connections: it shows the one whose call is in progress. */
interface ConnectionView {
  readonly connection: Connection;
  show(row: number, at: number, spec: PluginSpec): void;
}

/** Nothing can be kept in the object itself: that would not be saved with a run. */
function makeConnectionView(
  table: Float64Array,
  host: RateHost,
  plugin: CongestionControl,
): ConnectionView {
  let row = 0;
  let at = 0;
  let spec: PluginSpec | undefined;
  const state = fieldsOf(
    plugin.state,
    () => table,
    () => at + FIELDS,
  );
  const connection: Connection = {
    state,

    get now(): number {
      return host.clock.now;
    },

    get settings(): Numbers {
      return spec!.settings;
    },

    get lineBps(): number {
      return table[at + LINE]!;
    },

    get packetBytes(): number {
      return spec!.packetOctets;
    },

    get hops(): number {
      return spec!.hops;
    },

    get rateBps(): number {
      return table[at + RATE]!;
    },

    set rateBps(value: number) {
      const lineBps = table[at + LINE]!;
      const rate = Math.min(numberOf(value, 'rateBps'), lineBps);
      if (rate < RATE_MIN_BPS) throw new RangeError(`rateBps = ${value}; at least ${RATE_MIN_BPS}`);
      if (rate < table[at + RATE]!) table[at + CUTS]!++;
      table[at + RATE] = rate;
      table[at + LEAST] = Math.min(table[at + LEAST]!, rate);
      host.setRate(row, rate, lineBps);
    },

    get windowPackets(): number {
      return table[at + WINDOW]!;
    },

    set windowPackets(value: number) {
      const packets = numberOf(value, 'windowPackets');
      if (packets < 1) throw new RangeError(`windowPackets = ${value}; at least 1`);
      if (packets < table[at + WINDOW]!) table[at + CUTS]!++;
      table[at + WINDOW] = packets;
      host.setWindow(row, Math.floor(packets));
    },

    random(): number {
      return host.uniform(row);
    },

    wakeAt(timePs: number): void {
      const time = Math.round(numberOf(timePs, 'wakeAt'));
      if (plugin.timer === undefined) throw new TypeError('wakeAt, and there is no timer to call');
      if (time < host.clock.now) throw new RangeError(`wakeAt(${timePs}): that time is over`);
      if (time !== Infinity) host.arm(row, WAKE, time);
    },
  };
  return {
    connection: Object.freeze(connection),
    show: (shownRow, shownAt, shownSpec) => {
      row = shownRow;
      at = shownAt;
      spec = shownSpec;
    },
  };
}

/** The last one; it can be read, and nothing else. */
function makeAnswerView(): {
  readonly answer: Answer;
  show(packets: number, marked: boolean, roundTripPs: number | null): void;
} {
  const shown: { packets: number; marked: boolean; roundTripPs: number | null } = {
    packets: 0,
    marked: false,
    roundTripPs: null,
  };
  return {
    answer: Object.freeze({
      get packets(): number {
        return shown.packets;
      },
      get marked(): boolean {
        return shown.marked;
      },
      get roundTripPs(): number | null {
        return shown.roundTripPs;
      },
    }),
    show: (packets, marked, roundTripPs) => {
      shown.packets = packets;
      shown.marked = marked;
      shown.roundTripPs = roundTripPs;
    },
  };
}

/** The last one; it can be read, and nothing else. */
function makeAcknowledgementView(): {
  readonly acknowledgement: Acknowledgement;
  show(roundTripPs: number, hostPs: number, packets: number): void;
} {
  const shown = { roundTripPs: 0, hostPs: 0, packets: 0 };
  return {
    acknowledgement: Object.freeze({
      get roundTripPs(): number {
        return shown.roundTripPs;
      },
      get hostPs(): number {
        return shown.hostPs;
      },
      get packets(): number {
        return shown.packets;
      },
    }),
    show: (roundTripPs, hostPs, packets) => {
      shown.roundTripPs = roundTripPs;
      shown.hostPs = hostPs;
      shown.packets = packets;
    },
  };
}
