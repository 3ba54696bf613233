/** In which state each machine of a port is, under the names of the standards. */

import type { DiscoveryAdmin } from '../../engine/contract/discovery.js';
import type { FeatureState } from '../../engine/discovery/dcbx/dcbx-cee-machine.js';
import { mayReceive } from '../../engine/discovery/lldp/lldp-managed.js';
import type { LldpTransmit } from '../../engine/discovery/lldp/transmit-machine.js';
import type { PortDiscovery } from '../../engine/discovery/port-discovery.js';

export interface MachineStates {
  /** 802.1AB 9.2.8 and 9.2.9. */
  readonly transmit: string;
  readonly transmitTimer: string;
  readonly receive: string;
  /** 802.1Q 38.4: INIT is the own configuration, RX_RECOMMENDED the peer's. */
  readonly ets: string;
  readonly pfc: string;
  /** DCBX 1.01; null while the port speaks another. */
  readonly cee: CeeStates | null;
}

interface CeeStates {
  readonly sequence: number;
  readonly acknowledged: number;
  readonly groups: string;
  readonly pfc: string;
  readonly applications: string;
}

export function machineStates(admin: DiscoveryAdmin, port: PortDiscovery): MachineStates {
  const { operation, cee } = port;
  const [{ tx }] = port.agents as [PortDiscovery['agents'][number]];
  const dcbx = (from: 'local' | 'peer'): string => (from === 'peer' ? 'RX_RECOMMENDED' : 'INIT');
  return {
    transmit: TRANSMIT[tx.state],
    transmitTimer: timerOf(tx),
    receive: mayReceive(admin.status) ? 'RX_WAIT_FOR_FRAME' : 'RX_LLDP_INITIALIZE',
    ets: dcbx(operation.etsFrom),
    pfc: dcbx(operation.pfcFrom),
    cee:
      operation.protocol !== 'cee'
        ? null
        : {
            sequence: cee.sequence,
            acknowledged: cee.acknowledged,
            groups: featureOf(cee.features.groups),
            pfc: featureOf(cee.features.pfc),
            applications: featureOf(cee.features.applications),
          },
  };
}

const TRANSMIT: Readonly<Record<LldpTransmit['state'], string>> = {
  initialize: 'TX_LLDP_INITIALIZE',
  idle: 'TX_IDLE',
  shutdown: 'TX_SHUTDOWN_FRAME',
};

function timerOf({ state, txFast }: LldpTransmit): string {
  if (state !== 'idle') return 'TX_TIMER_INITIALIZE';
  return txFast > 0 ? `TX_TIMER_IDLE, ${txFast} fast` : 'TX_TIMER_IDLE';
}

function featureOf({ operational, error }: FeatureState): string {
  if (error) return 'error';
  return operational ? 'operational' : 'off';
}
