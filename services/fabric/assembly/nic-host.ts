import type { NicHost } from '../../mechanisms/nic-context.js';
import type { Scenario } from '../scenario/scenario.js';
import { classesOf } from './fixed-classes.js';
import type { PortSettings } from './port-settings.js';
import { placeOfArbiter } from './settings.js';

/** A host as its NIC sees it. */
export function nicHost(
  name: string,
  { device: settings, pause }: PortSettings,
  scenario: Scenario,
  { linkBps, longestFrameOctets }: Pick<NicHost, 'linkBps' | 'longestFrameOctets'>,
): NicHost {
  return {
    name,
    linkBps,
    longestFrameOctets,
    transmit: classesOf(settings, scenario),
    receive: scenario.classes.receive,
    hasPause: pause !== null,
    arbiter: settings.host.arbiter,
    arbiterPath: placeOfArbiter(settings),
  };
}
