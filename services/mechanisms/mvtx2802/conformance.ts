import type { Conformance } from '../../engine/contract/conformance.js';

const UNIT = 'test/unit/engine/flow-control/mvtx2802.test.ts';
const VALIDATION = 'test/validation/mvtx2802.test.ts';
const QOS = 'test/validation/mvtx2802-qos.test.ts';
const SHEET = { of: 'MVTX2802: data sheet' } as const;

/** The switch, section by section of its data sheet. */
export const mvtx2802Conformance: Conformance = {
  name: 'mvtx2802',
  title: 'MVTX2802',
  about: 'Sections 7.2 to 7.9 of the data sheet. [All sentences](../seeds/mvtx2802.md).',
  claims: [
    {
      ...SHEET,
      clause: '7.2',
      says: 'Classes with delay bounds go by due dates; others by strict priority or weights.',
      ...{ key: 'switches.mvtx2802.scheduler', example: 'mvtx2802-assurance' },
      test: [QOS, 'are parts of 64 of the port'],
    },
    {
      ...SHEET,
      clause: '7.6',
      says: 'A shaper holds P6 to its average rate, even on a port that is idle.',
      ...{ key: 'switches.mvtx2802.shaper', example: 'mvtx2802-assurance' },
      test: [QOS, 'holds P6 to its average rate, on a port that is idle'],
    },
    {
      ...SHEET,
      clause: '7.8',
      says: 'Memory is divided into slots: reserved, shared, temporary, and of the CPU.',
      ...{ key: 'switches.mvtx2802.temporary', example: 'mvtx2802-multicast' },
      test: [UNIT, 'downgraded frames may not have the slots of a class'],
    },
    {
      ...SHEET,
      clause: '7.9',
      says: 'A flow-controlled source loses no frame.',
      ...{ key: 'switches.mvtx2802.flowControl', example: 'mvtx2802-blocking' },
      test: [VALIDATION, 'as many as the delays ask for lose nothing, a few less do'],
    },
    {
      ...SHEET,
      clause: '7.9',
      says: 'All flows of a paused port halt, also those to uncongested outputs.',
      ...{ key: 'switches.mvtx2802.xoff', example: 'mvtx2802-blocking' },
      test: [VALIDATION, 'binds what a flow-controlled host has for an idle port'],
    },
    {
      ...SHEET,
      clause: '7.9',
      says: 'An option keeps the class of such frames, and some may be dropped.',
      ...{ key: 'switches.mvtx2802.normalQos', example: 'mvtx2802-assurance' },
      test: [VALIDATION, 'gives way to drops where the option keeps the class'],
    },
    {
      ...SHEET,
      clause: '7.9.1',
      says: 'Xoff at a number of reserved slots; Xon when all of them are free.',
      ...{ key: 'switches.mvtx2802.source', example: 'mvtx2802-blocking' },
      test: [UNIT, 'stops a source when its slots are gone, and lets it go on when all are free'],
    },
    {
      ...SHEET,
      clause: '7.9.2, unmanaged',
      says: 'Above a global count of multicast frames the source of one more is stopped.',
      ...{ key: 'switches.mvtx2802.mcc', example: 'mvtx2802-multicast' },
      test: [UNIT, 'unmanaged: above the counter the source of one more is stopped'],
    },
    {
      ...SHEET,
      clause: '7.9.2, managed',
      says: 'Xon when all destinations that were congested at Xoff are so no more.',
      ...{ key: 'switches.mvtx2802.multicastStops', example: 'mvtx2802-multicast' },
      test: [UNIT, 'managed: what was congested then must be uncongested now'],
    },
  ],
};
