/** Schema of `live`: hosts that are real, and reach this process by an endpoint. */

import type { z } from 'zod';
import { ENDPOINTS } from '../../endpoints/registry.js';
import { aboveZero, size, time } from '../../settings/quantities.js';
import {
  choice,
  either,
  freeText,
  integer,
  keyed,
  list,
  mapping,
  name,
  NAME,
  positive,
  quantity,
  text,
} from '../../settings/parts.js';

/** IPv6 needs the least (RFC 8200 5). */
const MTU_LEAST = 68;
const MTU_MOST = 9216;

const endpointKeys = Object.fromEntries(
  ENDPOINTS.map(({ kind, help, settings }) => [kind, settings.describe(help).optional()]),
);

const host = mapping({
  ...endpointKeys,
  mode: choice(['nic', 'wire'])
    .describe(
      'nic: an emulated NIC obeys flow control for the host; wire: the host itself is the link ' +
        'partner of the switch, and MAC control frames and LLDP pass.',
    )
    .prefault('nic'),
  mtu: integer(MTU_LEAST, MTU_MOST)
    .describe('Longest payload of a frame; buffers go by it.')
    .prefault(1500),
  queue: quantity(aboveZero(size))
    .describe('What may wait in each traffic class of the NIC; more is dropped there.')
    .prefault('256KiB'),
  priority: either([choice(['dscp']), integer(0, 7)], 'a priority', 'dscp, or 0 to 7')
    .describe('Priority of untagged frames. dscp: the class selector of IP, 0 of other frames.')
    .prefault('dscp'),
  checksums: choice(['as-sent', 'complete'])
    .describe('Whether TCP and UDP checksums that a kernel left to hardware are computed.')
    .prefault('as-sent'),
});

const frame = mapping({
  host: name().describe('Live host that sent it.'),
  at: quantity(time).describe('Virtual time at which it entered.'),
  octets: text(
    'a frame',
    /^([0-9a-fA-F]{2}){14,9300}$/,
    '14 to 9300 bytes in hexadecimal: a frame from its destination address on, without FCS',
  ).describe('The frame; a short one is padded.'),
});

export const liveSchema = mapping({
  hosts: keyed(
    { pattern: NAME, allowed: 'the name of a host' },
    host.describe('A real host, by the name that it has in the fabric.'),
  )
    .describe('Which hosts are real, and how their frames come in.')
    .prefault({}),
  scale: positive()
    .describe('A second of virtual time takes so many seconds of the host.')
    .prefault(1),
  timing: choice(['best-effort', 'strict', 'stretch'])
    .describe(
      'When the engine falls behind: best-effort goes on, strict ends the run, stretch lets ' +
        'virtual time pass more slowly.',
    )
    .prefault('best-effort'),
  late: quantity(aboveZero(time))
    .describe('Wall-clock time by which an event may be late and still count as in time.')
    .prefault('1ms'),
  inputs: either(
    [freeText(), list(frame, 'frames, as { host: h1, at: 3us, octets: 02… }')],
    'what came in',
    'the name of a recording, or a list of frames',
  )
    .describe('What came in, instead of real hosts: a recording, as selvage replay has it.')
    .exactOptional(),
});

export type LiveInput = z.output<typeof liveSchema>;
