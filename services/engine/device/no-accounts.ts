import { NO_NEGOTIATION } from '../contract/grant-negotiation.js';
import type { GrantAccounts, GrantKeeper } from '../contract/grants.js';
import { assert } from '../kernel/assert.js';

/**
 * Of an engine without a mechanism that keeps accounts: no port has one. The data path asks ports
 * whether they have accounts before it names one, so a row is never asked for.
 */
export function noAccounts(portCount: number): GrantKeeper {
  const accounts: GrantAccounts = {
    ...{ count: 0, portCount, onlyOfClass: new Int32Array(8 * portCount).fill(-1) },
    ...{ has: () => false, rowsOfClass: () => [], forEach: () => undefined },
    ...{ bufferOctets: () => 0, rowOfFrame: noRow, rowOfChannel: noRow },
    ...{ port: noRow, priority: noRow, channel: noRow, trafficClass: noRow, share: noRow },
  };
  return {
    ...{ name: 'no accounts', keepsGrants: true, accounts, negotiation: NO_NEGOTIATION },
    sender: {
      ...{ cost: noRow, mayStart: noRow, spend: noRow, block: noRow, unblock: noRow },
      ...{ isBlocked: noRow, blockedSincePs: noRow, available: noRow },
    },
    receiver: {
      ...{ cost: noRow, isGranted: noRow, occupied: noRow, limit: noRow, isExhausted: noRow },
      crowdedFrom: noRow,
    },
    messages: { tagOffered: new Uint8Array(portCount), composeTag: noRow },
    ...{ rowOf: noRow, passed: noRow, admitted: noRow, released: noRow, setOperational: noRow },
    ...{ operationalAt: () => 0, isOperational: () => false },
    ...{ compose: noRow, onTimer: noRow, receiveControl: () => false },
  };
}

function noRow(): never {
  assert(false, 'engine.no-accounts');
}
