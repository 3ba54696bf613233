import type { CiPortSpec, CiSwitchSpec } from '../../mechanisms/ci/spec.js';
import type { HostAddress } from '../address.js';
import { switchAddress, switchPortMac } from '../address.js';
import { hostCount } from '../topology/topology.js';
import type { AssemblyInput } from './assembly.js';
import type { LinkEnd } from './link-ends.js';
import type { Settings } from './settings.js';
import { placeOfPriority } from './settings.js';
import { stationsOf } from './sfc-plan.js';

const THRESHOLD_PS = 4_000_000;
const LOW_FRAMES = 2;

/** What switches do about congestion isolation, and where in the file that is wrong. */
export class CiPlan {
  private readonly stations: Uint8Array;
  private readonly hosts: number;

  constructor(
    private readonly input: AssemblyInput,
    private readonly settings: readonly Settings[],
    private readonly linkEnds: readonly (readonly LinkEnd[])[],
    /** By priority. */
    private readonly longestFrameOctets: readonly number[],
  ) {
    this.hosts = hostCount(input.topology);
    this.stations = stationsOf(input.addresses);
    settings.forEach((own, device) => {
      this.check(own, this.watched(device));
    });
  }

  ofSwitch(device: number): CiSwitchSpec | null {
    const watched = this.watched(device);
    if (watched.length === 0) return null;
    const { ci } = this.settings[device]!;
    return {
      monitorQueues: watched.reduce((mask, priority) => mask | (1 << priority), 0),
      priority: ci.priority,
      ports: this.linkEnds[device]!.map((end) => this.port(end)),
      maxCim: ci.maxCim,
      maxStreams: ci.maxStreams,
      maxFlowLifePs: ci.maxFlowLifePs,
      idlePs: ci.idlePs,
      minHeaderOctets: ci.quoteBytes,
      txPriority: ci.messagePriority,
      encapsulation: ci.encapsulation,
      address: stationsOf([switchAddress(device)]),
      peers: stationsOf(this.linkEnds[device]!.map((end) => this.addressOf(end))),
      stations: this.stations,
      hosts: this.hosts,
    };
  }

  private port(end: LinkEnd): CiPortSpec {
    const { ci } = this.settings[end.device]!;
    const isPeer = this.watched(end.peerDevice).length > 0;
    const frame = Math.max(...this.longestFrameOctets);
    return {
      isolates: isPeer || end.peerDevice < this.hosts,
      isPeer,
      thresholdOctets: ci.thresholdBytes ?? Math.ceil(THRESHOLD_PS / end.octetPs),
      lowOctets: ci.lowBytes ?? LOW_FRAMES * frame,
    };
  }

  private addressOf({ peerDevice, peerPort }: LinkEnd): HostAddress {
    if (peerDevice < this.hosts) return this.input.addresses[peerDevice]!;
    return { ...switchAddress(peerDevice), mac: switchPortMac(peerDevice, peerPort) };
  }

  /** Priorities that a switch watches. */
  private watched(device: number): number[] {
    if (device < this.hosts || !this.settings[device]!.ci.enabled) return [];
    return this.settings[device]!.priorities.filter(({ ci }) => ci).map((p) => p.priority);
  }

  private check(own: Settings, watched: readonly number[]): void {
    const [first] = watched;
    if (first === undefined) return;
    const { fail, scenario, flows } = this.input;
    const { priority, messagePriority, thresholdBytes, lowBytes } = own.ci;
    const wrong = (key: CiKey, message: string): Error => fail(placeOfCi(own, key), message);
    if (watched.includes(priority)) {
      throw wrong('priority', `priority ${priority} is watched itself; isolate to another`);
    }
    if ([priority, ...watched].includes(messagePriority)) {
      const where = 'would wait in the queues they tell of';
      const message = `messages of priority ${messagePriority} ${where}`;
      throw wrong('messagePriority', message);
    }
    const isIdentity = (map: readonly number[]): boolean => map.every((entry, p) => entry === p);
    if (!isIdentity(scenario.classes.transmit) || !isIdentity(scenario.classes.receive)) {
      const message =
        'ci needs a queue and an account for each priority; leave the maps as they are';
      throw fail(['classes'], message);
    }
    const user = flows.find(
      ({ priority: p, transport }) =>
        p === priority || (transport.kind === 'reliable' && transport.ackPriority === priority),
    );
    if (user !== undefined) {
      throw wrong('priority', `priority ${priority} is in use by ${user.name}; isolate to another`);
    }
    const method = own.priorities[first]!.flowControl;
    for (const other of [...watched, priority]) {
      const { flowControl } = own.priorities[other]!;
      if (flowControl === method && method !== 'credit') continue;
      throw fail(
        placeOfPriority(own, other),
        flowControl === 'credit' || method === 'credit'
          ? `priority ${other}: ci and credit do not go together`
          : `priority ${other} has flowControl ${flowControl}, but ${first} has ${method}: ` +
              'queues that share flows are held back alike',
      );
    }
    if (thresholdBytes !== null && lowBytes !== null && lowBytes >= thresholdBytes) {
      throw wrong('low', `low ${lowBytes} is not below the threshold, ${thresholdBytes} octets`);
    }
  }
}

type CiKey = 'priority' | 'messagePriority' | 'low';

/** Where the file says something of congestion isolation. */
function placeOfCi(settings: Settings, key: CiKey): string[] {
  const section = key === 'low' ? 'lowBytes' : key;
  const change = settings.changes.findLast(({ ci }) => ci[section] !== undefined);
  return change === undefined ? ['ci', key] : ['devices', change.match, 'ci', key];
}
