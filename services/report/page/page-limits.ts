import type { Fabric } from '../../fabric/assembly/fabric.js';
import { MECHANISMS } from '../../mechanisms/registry.js';
import type { LimitView } from './page-flow-data.js';
import { grantedLimits } from './page-series.js';

/** Levels at which something happens, of the queue and the account of a port and priority. */
export type LimitsOf = (port: number, priority: number) => readonly LimitView[];

export function limitsOf({ specs, scenario }: Fabric): LimitsOf {
  const places = specs.flatMap((device) => device.ports.map((_, port) => ({ device, port })));
  const priorities = new Map(scenario.priorities.map((section) => [section.priority, section]));
  return (place, priority) => {
    const { device, port } = places[place]!;
    if (device.kind === 'host') return grantedLimits(device.ports[port]!, priority);
    const spec = device.ports[port]!;
    const account = device.buffer.accounts[port]?.[spec.groupOf[priority]!];
    const keys = priorities.get(priority)?.mechanisms ?? {};
    const marks = MECHANISMS.flatMap(({ name, marking }) =>
      name in keys ? (marking?.levels(keys[name]) ?? []) : [],
    );
    return [
      ...marks.map(({ label, octets: value }) => ({ of: 'egress' as const, label, value })),
      ...(account === undefined ? [] : accountLimits(account)),
      ...grantedLimits(spec, priority),
    ];
  };
}

type Device = Fabric['specs'][number];
type Account = Extract<Device, { kind: 'switch' }>['buffer']['accounts'][number][number];

/** A dynamic threshold moves with the pool, and is no line. */
function accountLimits(account: Account): LimitView[] {
  const { lossless, xoffOctets, xonGapOctets, headroomOctets } = account;
  if (!lossless || !Number.isFinite(xoffOctets)) return [];
  return [
    { of: 'ingress', label: 'XON', value: xoffOctets - xonGapOctets },
    { of: 'ingress', label: 'XOFF', value: xoffOctets },
    { of: 'ingress', label: 'headroom', value: xoffOctets + headroomOctets },
  ];
}
