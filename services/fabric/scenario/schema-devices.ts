/** Schema of `hosts`, `switches` and `devices`: how devices behave, all and single ones. */

import { isIPv4, isIPv6 } from 'node:net';
import type { z } from 'zod';
import { aboveZero, time } from '../../settings/quantities.js';
import { BY_FLOW, ecmpSchema } from './equal-cost.js';
import { bufferKeys } from './schema-buffer.js';
import { changeKeys } from './mechanism-sections.js';
import { discoveryOverridesSchema } from './schema-discovery.js';
import { arbiterSchema, priorityOverridesSchema } from './schema-flow-control.js';
import { NIC, SLOTTED } from '../../mechanisms/registry.js';
import {
  address,
  choice,
  either,
  flag,
  GLOB,
  integer,
  keyed,
  list,
  mapping,
  overriding,
  quantity,
  text,
  word,
} from '../../settings/parts.js';

const arbiter = arbiterSchema.describe(
  'How its ports choose the next traffic class. Default: as in classes.',
);

const NIC_HELP = 'The NIC of a host. Default: plain, which costs nothing to run.';
/** Spread into a schema: their slices read the results by name. */
const nicKeys: object = NIC === null ? {} : { nic: NIC.schema.describe(NIC_HELP).exactOptional() };
const slottedKeys = (keys: 'switchKeys' | 'deviceKeys' | 'portKeys'): object =>
  SLOTTED?.[keys] ?? {};

export const hostsSchema = mapping({
  arbiter: arbiter.exactOptional(),
  ...nicKeys,
});

/** INF-8074i: an SFP asserts a loss of signal within 100 us (t_loss_on). */
const DETECTION = '100us';
/** The time of an update that is sent, computed and written without waiting. */
const RECONVERGENCE = '100us';

export const failoverKeys = mapping({
  detection: quantity(time)
    .describe('How long a carrier is lost, or back, before the switch acts on it.')
    .prefault(DETECTION),
  reconvergence: either([word('off'), quantity(time)], 'a time', 'off, or a time such as 1ms')
    .describe(
      'From detection to the time when all switches compute routes without the link, or with it ' +
        'again; off: only the switches at its ends use their other equal-cost ports.',
    )
    .prefault(RECONVERGENCE),
  queued: choice(['move', 'drop'])
    .describe(
      'Frames that wait at the dead port: move to the other ports of their group (and wait for ' +
        'reconvergence where there is none), or are dropped (port-down).',
    )
    .prefault('move'),
});

const failover = either(
  [word('off'), quantity(time), failoverKeys],
  'failover',
  'off, a detection time such as 10us, or a mapping such as ' +
    '{ detection: 10us, reconvergence: 1ms, queued: move }',
);

export type FailoverInput = z.output<typeof failover>;

const MODELS = ['shared-buffer', ...(SLOTTED === null ? [] : [SLOTTED.name])];
const OR_SLOTTED = SLOTTED === null ? '' : `, or ${SLOTTED.called}`;

const switchKeys = {
  model: choice(MODELS)
    .describe(`Model of the switch: a buffer that all ports share${OR_SLOTTED}.`)
    .prefault('shared-buffer'),
  pipeline: quantity(time)
    .describe('Time from the last bit received to admission into the buffer.')
    .prefault('500ns'),
  cutThrough: flag()
    .describe('Send a frame on before its end has arrived, where rates allow.')
    .prefault(false),
  forwarding: choice(['routed', 'bridged'])
    .describe('routed: by computed shortest routes; bridged: learning and flooding, by VLAN.')
    .prefault('routed'),
  ecmp: ecmpSchema
    .describe(
      'Choice among equal routes: by hash of the flow, by a load balancing with its settings, or ' +
        'by a plugin. What reorders frames has reliable flows (go-back-N) resend most of them.',
    )
    .prefault(BY_FLOW),
  failover: failover
    .describe(
      'What happens when a link is down: its port leaves the groups of equal-cost ports after a ' +
        'detection time; off: what is sent there waits until the link is back.',
    )
    .prefault({}),
  ageing: quantity(aboveZero(time))
    .describe('Age at which a learned address is forgotten (802.1Q 8.8.3).')
    .prefault('300s'),
};

const BUFFER = 'The shared packet buffer.';

export const switchesSchema = mapping({
  ...switchKeys,
  buffer: mapping(bufferKeys).describe(BUFFER).prefault({}),
  ...slottedKeys('switchKeys'),
  arbiter: arbiter.exactOptional(),
});

const vlan = (): z.ZodNumber => integer(1, 4094);

const ports = keyed(
  { pattern: /^[1-9][0-9]{0,4}$/, allowed: 'a port number from 1' },
  mapping({
    native: vlan().describe('VLAN of untagged frames.').prefault(1),
    tagged: list(vlan(), 'VLANs 1 to 4094').describe('VLANs carried tagged.').prefault([]),
    ...slottedKeys('portKeys'),
  }).describe('One port by its number.'),
);

const MAC = /^[0-9A-Fa-f][02468ACEace]([:-][0-9A-Fa-f]{2}){5}$/;

const deviceSchema = mapping({
  mac: text('a unicast MAC address', MAC, 'six bytes such as 02:00:00:00:00:03')
    .transform((address) => address.toLowerCase().replaceAll('-', ':'))
    .describe('MAC address of a host. Default: assigned by position.')
    .exactOptional(),
  ipv4: address('ipv4', 'an IPv4 address', isIPv4, 'four bytes such as 10.0.0.3')
    .describe('IPv4 address of a host. Default: assigned by position.')
    .exactOptional(),
  ipv6: address('ipv6', 'an IPv6 address', isIPv6, 'one such as 2001:db8::3')
    .describe('IPv6 address of a host. Default: assigned by position.')
    .exactOptional(),
  arbiter: arbiter.exactOptional(),
  ...nicKeys,
  ...overriding(switchKeys),
  buffer: mapping(overriding(bufferKeys)).describe(BUFFER).exactOptional(),
  ...slottedKeys('deviceKeys'),
  ports: ports
    .describe(
      SLOTTED === null
        ? 'Single ports: VLANs of a bridged switch.'
        : `Single ports: VLANs of a bridged switch, flow control of ${SLOTTED.called}.`,
    )
    .exactOptional(),
  priorities: priorityOverridesSchema
    .describe('Changes to single priorities at this device.')
    .exactOptional(),
  discovery: discoveryOverridesSchema
    .describe('Changes to what this device says and takes over by LLDP and DCBX.')
    .exactOptional(),
  ...changeKeys(),
});

export const devicesSchema = keyed(
  { pattern: GLOB, allowed: 'the name of a device, or a pattern such as leaf*' },
  deviceSchema.describe('One device, or all whose names fit the pattern.'),
);

export type SwitchesInput = z.output<typeof switchesSchema>;
export type DeviceInput = z.output<typeof deviceSchema>;
