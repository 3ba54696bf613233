import type { Conformance } from '../contract/conformance.js';

const TRANSMIT = 'test/unit/engine/discovery/transmit-machine.test.ts';
const RECEIVE = 'test/unit/engine/discovery/receive-machine.test.ts';
const DCBX = 'test/unit/engine/discovery/dcbx.test.ts';
const LINKS = 'test/unit/engine/discovery/links.test.ts';
const RUNS = 'test/validation/discovery.test.ts';
const WIRE = 'test/unit/engine/wire/lldp.test.ts';
const IDENTIFIER = 'test/scenario/identifier.test.ts';

/** LLDP and DCBX, clause by clause. */
export const discoveryConformance: Conformance = {
  name: 'discovery',
  title: 'LLDP and DCBX',
  about: '802.1AB, and 802.1Q clause 38: ports advertise what they can, and agree on it.',
  claims: [
    {
      ...{ of: '802.1AB', clause: '7.1' },
      says: 'LLDPDUs go to group addresses, each with a reach; DCBX goes with the first.',
      ...{ key: 'discovery.reach', example: 'discovery-willing-hosts' },
      test: [RUNS, 'send LLDPDUs to each address, with an agent for each'],
    },
    {
      ...{ of: '802.1AB', clause: '8.5' },
      says: 'An LLDPDU has chassis, port and time to live, then TLVs that say more, then its end.',
      ...{ key: 'discovery', example: 'discovery-willing-hosts' },
      test: [WIRE, 'is encoded as the standard has it'],
    },
    {
      ...{ of: '802.1AB', clause: '9.2.5.1' },
      says: 'A port sends LLDPDUs, receives them, does both, or neither.',
      ...{ key: 'discovery.status', example: 'discovery-credit-change' },
      test: [RUNS, 'lets none go while an end says nothing'],
    },
    {
      ...{ of: '802.1AB', clause: '9.2.6, 10.5' },
      says: 'An agent counts what it sends, receives, discards and does not know.',
      ...{ key: 'discovery.neighbors', example: 'discovery-willing-hosts' },
      test: [RECEIVE, 'keeps TLVs that it does not know as they came, and counts them'],
    },
    {
      ...{ of: '802.1AB', clause: '8.4' },
      says: 'A TLV has seven bits of type and nine of length; the list ends exactly, or is none.',
      ...{ key: 'discovery', example: 'discovery-willing-hosts' },
      test: [WIRE, 'list is split exactly, or not at all'],
    },
    {
      ...{ of: '802.1AB', clause: '8.6.1' },
      says: 'TLVs that no standard numbers begin with an OUI or CID that is configured.',
      ...{ key: 'discovery.identifier', example: 'discovery-island' },
      test: [IDENTIFIER, 'begins all that no standard numbers, and no others'],
    },
    {
      ...{ of: '802.1AB', clause: '9.1.2.2' },
      says: 'A port that stops advertising says so, and waits before it begins anew.',
      ...{ key: 'discovery.reinitDelay', example: 'discovery-credit-change' },
      test: [TRANSMIT, 'take leave once, and begin anew no sooner than the delay'],
    },
    {
      ...{ of: '802.1AB', clause: '9.2.5.22' },
      says: 'What is advertised lives for interval times hold, and a second.',
      ...{ key: 'discovery.hold', example: 'discovery-willing-hosts' },
      test: [RECEIVE, 'keeps a neighbor for its time to live, from its last LLDPDU on'],
    },
    {
      ...{ of: '802.1AB', clause: '9.2.7.7, 9.2.7.7.3' },
      says: 'An LLDPDU with mandatory TLVs that are cut, repeated or out of order is discarded.',
      ...{ key: 'discovery.neighbors', example: 'discovery-willing-hosts' },
      test: [RECEIVE, 'discards what is cut off, out of order or has a mandatory TLV twice'],
    },
    {
      ...{ of: '802.1AB', clause: '9.2.8' },
      says: 'An LLDPDU is sent at once, then every interval; a new neighbor gets some fast ones.',
      ...{ key: 'discovery.fastInit', example: 'discovery-willing-hosts' },
      test: [TRANSMIT, 'send fast to a new neighbor, four times, and then as usual'],
    },
    {
      ...{ of: '802.1AB', clause: '9.2.5.17, 9.2.8' },
      says: 'A credit bounds how many follow each other.',
      ...{ key: 'discovery.creditMax', example: 'discovery-willing-hosts' },
      test: [TRANSMIT, 'have no more than five LLDPDUs in hand, and gain one in a second'],
    },
    {
      ...{ of: '802.1AB', clause: '9.2.9' },
      says: 'The last LLDPDU of a neighbor is stored: all of it, and nothing else.',
      ...{ key: 'discovery.status', example: 'discovery-willing-hosts' },
      test: [RECEIVE, 'stores the last LLDPDU of a neighbor, all of it and nothing else'],
    },
    {
      ...{ of: '802.1Q', clause: '38.3' },
      says: 'With several neighbors a port operates as if there were no DCBX peer.',
      ...{ key: 'discovery.dcbx', example: 'discovery-miscabled' },
      test: [LINKS, 'are not affected by a second neighbor: DCBX is as if there were none'],
    },
    {
      ...{ of: '802.1Q', clause: '38.4.1' },
      says: 'A willing end takes over the table that its peer recommends.',
      ...{ key: 'discovery.recommend', example: 'discovery-willing-hosts' },
      test: [DCBX, 'takes over a recommended table, and its own will shows beside it'],
    },
    {
      ...{ of: '802.1Q', clause: '38.4.2' },
      says: 'Of two willing ends one follows the other, by their addresses.',
      ...{ key: 'discovery.willing', example: 'discovery-willing-hosts' },
      test: [DCBX, 'has only the willing follow, and of two willing the one with the lesser'],
    },
    {
      ...{ of: '802.1Q', clause: '38.4.2' },
      says: 'An end does not take over more priorities than can have PFC at once.',
      ...{ key: 'discovery.pfcCapability', example: 'discovery-willing-hosts' },
      test: [DCBX, 'does not take over more priorities than it can have at once'],
    },
    {
      ...{ of: '802.1Q', clause: 'D.2.8' },
      says: 'ETS Configuration has the operational table, and whether it may be changed.',
      ...{ key: 'discovery.classes', example: 'discovery-classes' },
      ...{ octets: 'LLDP: ETS Configuration', capture: ['s1:p1'] },
      test: [WIRE, 'of whole frames lies where the vectors have it'],
    },
    {
      ...{ of: '802.1Q', clause: 'D.2.9' },
      says: 'ETS Recommendation has the table that the link partner should use.',
      ...{ key: 'discovery.recommend', example: 'discovery-willing-hosts' },
      ...{ octets: 'LLDP: ETS Recommendation', capture: ['leaf1:p1'] },
      test: [WIRE, 'of whole frames lies where the vectors have it'],
    },
    {
      ...{ of: '802.1Q', clause: 'D.2.10' },
      says: 'PFC Configuration has will, capability, and a bit for each priority.',
      ...{ key: 'discovery.pfcCapability', example: 'discovery-willing-hosts' },
      ...{ octets: 'LLDP: PFC Configuration', capture: ['leaf1:p1'] },
      test: [WIRE, 'of whole frames lies where the vectors have it'],
    },
    {
      ...{ of: '802.1Q', clause: 'D.2.11' },
      says: 'Application Priority has an entry for each application and its priority.',
      ...{ key: 'discovery.applications', example: 'discovery-willing-hosts' },
      ...{ octets: 'LLDP: Application Priority', capture: ['leaf1:p1'] },
      test: [DCBX, 'adds applications that it has no entry for, if it is willing'],
    },
    {
      ...{ of: '802.1Q', clause: 'D.2.16' },
      says: 'Levels tell bridges near stations from others, and uplinks from downlinks.',
      ...{
        key: 'discovery',
        example: 'sfc-proxy',
        octets: 'LLDP: Topology Recognition',
        capture: ['leaf1:p1', 'discovery=true'],
      },
      test: [DCBX, 'are one above the lowest neighbor, unknown without one'],
    },
  ],
};
