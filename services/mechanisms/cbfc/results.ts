import { z } from 'zod';
import { RX_FRAMES } from '../../engine/port/counters.js';
import type { MessageCount, RunView, SliceResults } from '../mechanism-slice.js';
import { columnName, columnsOf, resultTable } from '../result-table.js';
import type { ResultTable } from '../result-table.js';
import {
  CHANNEL_STATISTICS,
  channelStatistics,
  PORT_STATISTICS,
  portStatistics,
} from './managed.js';
import type { CbfcPlan } from './plan.js';
import { CbfcRole } from './role.js';
import type { CbfcSettings } from './settings.js';

/** A virtual channel of a port, both ways; only of those that were used. */
export interface ChannelResult {
  readonly port: string;
  readonly channel: number;
  /** Credits that its sender may have in use, and octets of one. */
  readonly limit: number;
  readonly creditBytes: number;
  /** Under the names of SAI: of the channel, and of its port. */
  readonly statistics: Readonly<Record<string, number>>;
  readonly ofPort: Readonly<Record<string, number>>;
}

export interface CbfcResults {
  readonly channels: readonly ChannelResult[];
}

export interface CbfcTypes {
  readonly settings: CbfcSettings;
  readonly plan: CbfcPlan;
  readonly results: CbfcResults;
}

export const cbfcResults: SliceResults<CbfcTypes> = {
  collect: (run) => ({ channels: channelsOf(run) }),
  tables: [channelTable()],
  messageCounts: ({ channels }) => channels.flatMap(messagesOf),
  windowOctets: ({ channels }) => channels.map(({ limit, creditBytes }) => limit * creditBytes),
  published: {
    channels: z
      .array(
        z.strictObject({
          port: z.string(),
          channel: z.number(),
          limit: z.number().describe('Credits that its sender may have in use.'),
          creditBytes: z.number(),
          statistics: z.record(z.string(), z.number()).describe('Under the names of SAI.'),
          ofPort: z.record(z.string(), z.number()).describe('Of the whole port.'),
        }),
      )
      .describe('Virtual channels of CBFC that were used, as table virtual_channels.'),
  },
};

/** D1 of a CF_Update is 0x10, and the opcode of a CC_Update 0xfffe (802.3 annex 31C). */
function messagesOf({ port: at, ofPort }: ChannelResult): MessageCount[] {
  const counted = (name: string): number => ofPort[`CBFC_NUM_${name}`];
  return [
    { at, way: 'sent', message: 'set 16', count: counted('CF_UPDATE_MESSAGES_TX') },
    { at, way: 'received', message: 'set 16', count: counted('CF_UPDATE_MESSAGES_RX') },
    { at, way: 'sent', message: 'opcode 65534', count: counted('CC_UPDATE_MESSAGES_TX') },
    { at, way: 'received', message: 'opcode 65534', count: counted('CC_UPDATE_MESSAGES_RX') },
  ];
}

function channelTable(): ResultTable<CbfcResults> {
  const row = columnsOf<ChannelResult>();
  return resultTable({
    name: 'virtual_channels',
    about: 'a virtual channel of a port, both ways, and the counters of the port',
    rows: ({ channels }) => channels,
    columns: [
      row.text('port', 'Its name.', (r) => r.port),
      row.whole('channel', 'number', 'The virtual channel.', (r) => r.channel),
      row.whole('credit_limit', 'credits', 'Most that the sender may use.', (r) => r.limit),
      row.whole('credit_bytes', 'bytes', 'A credit.', (r) => r.creditBytes),
      ...Object.entries(CHANNEL_STATISTICS).map(([name, [unit, meaning]]) =>
        row.whole(columnName(name), unit, meaning, (r) => r.statistics[name]),
      ),
      ...Object.entries(PORT_STATISTICS).map(([name, [unit, meaning]]) =>
        row.whole(columnName(name), unit, meaning, (r) => r.ofPort[name]),
      ),
    ],
  });
}

function channelsOf({ engine }: RunView<CbfcTypes>): ChannelResult[] {
  const { counters } = engine.shared;
  return engine.devices.flatMap(({ place, spec, firstPort }) => {
    const role = engine.rolesOf(place)['cbfc'];
    if (!(role instanceof CbfcRole)) return [];
    return role.ports.flatMap((own, port) => {
      if (own === null) return [];
      const used = own.spec.sender.channels.flatMap((terms, channel) => {
        const statistics = channelStatistics(own, channel);
        // What is consumed is cyclic: it may be 0 again.
        const hasReceived = own.spec.channelOf.some(
          (one, p) => one === channel && counters.get(firstPort + port, p, RX_FRAMES) > 0,
        );
        const isUsed = hasReceived || statistics['SENDER_CREDITS_USED_WATERMARK'] > 0;
        return terms === null || !isUsed ? [] : [{ terms, channel, statistics }];
      });
      return used.map(({ terms, channel, statistics }) => ({
        port: spec.ports[port].name,
        channel,
        limit: terms.limit,
        creditBytes: 1 << own.spec.sender.shift,
        statistics,
        ofPort: portStatistics(own),
      }));
    });
  });
}
