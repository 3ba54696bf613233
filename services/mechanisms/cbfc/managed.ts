import type { ManagedValue } from '../../engine/contract/flow-control.js';
import { RX_CONSUMED, TX_FREED, TX_PEAK } from './machine.js';
import type { CbfcPort } from './port.js';

/** Statistics of a virtual channel, under the names of SAI (`sai_virtual_channel_stat_t`). */
export function channelStatistics(
  { sender, receiver }: CbfcPort,
  channel: number,
): Readonly<Record<string, number>> {
  return {
    SENDER_CREDITS_USED: sender.inUse(channel),
    SENDER_CREDITS_USED_WATERMARK: sender.words[sender.at(channel) + TX_PEAK],
    SENDER_CREDITS_CONSUMED: sender.consumed(channel),
    SENDER_CREDITS_FREED: sender.words[sender.at(channel) + TX_FREED],
    RECEIVER_CREDITS_CONSUMED: receiver.words[receiver.at(channel) + RX_CONSUMED],
    RECEIVER_CREDITS_FREED: receiver.freed(channel),
  };
}

/** Statistics of a port, under the names of SAI (`sai_port_stat_t`), and its errors. */
export function portStatistics(own: CbfcPort): Readonly<Record<string, number>> {
  return {
    CBFC_SENDER_CREDITS_USED: own.sender.inUseOfPort(),
    CBFC_SENDER_CREDITS_USED_WATERMARK: own.sender.peakOfPort(),
    CBFC_NUM_CC_UPDATE_MESSAGES_TX: own.ccSent,
    CBFC_NUM_CC_UPDATE_MESSAGES_RX: own.ccReceived,
    CBFC_NUM_CF_UPDATE_MESSAGES_TX: own.cfSent,
    CBFC_NUM_CF_UPDATE_MESSAGES_RX: own.cfReceived,
    cbfcCreditsLeaked: own.receiver.leaked,
    cbfcImplausibleTotals: own.receiver.implausible,
    cbfcImplausibleCounts: own.sender.implausible,
    cbfcBadCompanyId: own.badCompanyId,
    cbfcBadOpcode: own.badOpcode,
    cbfcUnknownMessage: own.unknownMessage,
    cbfcUnknownChannel: own.unknownChannel,
  };
}

type Meanings = Readonly<Record<string, readonly [unit: string, meaning: string]>>;

/** What the statistics of a channel count. */
export const CHANNEL_STATISTICS: Meanings = {
  SENDER_CREDITS_USED: ['credits', 'Credits in use by the sender at the end.'],
  SENDER_CREDITS_USED_WATERMARK: ['credits', 'The most of it that the limit allows.'],
  SENDER_CREDITS_CONSUMED: ['credits', 'Credits that its frames consumed (cyclic).'],
  SENDER_CREDITS_FREED: ['credits', 'Credits that the receiver reported free (cyclic).'],
  RECEIVER_CREDITS_CONSUMED: ['credits', 'Credits of frames received (cyclic).'],
  RECEIVER_CREDITS_FREED: ['credits', 'Credits whose buffer is free again (cyclic).'],
};

/** What the statistics of a port count. */
export const PORT_STATISTICS: Meanings = {
  CBFC_SENDER_CREDITS_USED: ['credits', 'Of the port: credits plausibly in use at the end.'],
  CBFC_SENDER_CREDITS_USED_WATERMARK: ['credits', 'Of the port: the most of it.'],
  CBFC_NUM_CC_UPDATE_MESSAGES_TX: ['messages', 'CC_Update sent by the port.'],
  CBFC_NUM_CC_UPDATE_MESSAGES_RX: ['messages', 'CC_Update received.'],
  CBFC_NUM_CF_UPDATE_MESSAGES_TX: ['messages', 'CF_Update sent.'],
  CBFC_NUM_CF_UPDATE_MESSAGES_RX: ['messages', 'CF_Update received.'],
  cbfcCreditsLeaked: ['credits', 'Credits of lost frames, recovered by CC_Update.'],
  cbfcImplausibleTotals: ['messages', 'CC_Update with totals that cannot be true.'],
  cbfcImplausibleCounts: ['messages', 'CF_Update with counts that cannot be true.'],
  cbfcBadCompanyId: ['messages', 'Messages of another company identifier.'],
  cbfcBadOpcode: ['messages', 'Messages of another opcode.'],
  cbfcUnknownMessage: ['messages', 'Messages of an unknown kind.'],
  cbfcUnknownChannel: ['messages', 'Messages for a channel that is not there.'],
};

export function cbfcManagedValues(own: CbfcPort): ManagedValue[] {
  const values: ManagedValue[] = Object.entries(portStatistics(own)).map(([name, value]) => ({
    ...{ name, priority: null, value },
  }));
  own.spec.channelOf.forEach((channel, priority) => {
    if ((own.spec.priorities & (1 << priority)) === 0) return;
    for (const [name, value] of Object.entries(channelStatistics(own, channel))) {
      values.push({ name, priority, value });
    }
  });
  return values;
}
