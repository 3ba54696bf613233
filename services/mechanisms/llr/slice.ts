import { blankLinkLayer } from '../../engine/wire/lldp/link-layer-tlvs.js';
import type { MechanismSlice } from '../mechanism-slice.js';
import { llrCards } from './card.js';
import { llrConformance } from './conformance.js';
import { LlrMechanism } from './mechanism.js';
import { LlrPlan } from './plan.js';
import type { LlrTypes } from './results.js';
import { llrResults } from './results.js';
import { llrKeys } from './settings.js';

export const llr: MechanismSlice<LlrTypes> = {
  name: 'llr',
  waits: { on: 'retry' },
  slot: 9,
  create: (tools) => new LlrMechanism(tools),
  section: {
    keys: llrKeys,
    help: 'Link-level retry of the Ultra Ethernet link layer: bad frames are sent again.',
    helpOfChanges: 'Changes of link-level retry for these devices.',
  },
  toggle: { key: 'enabled', isOn: ({ enabled }) => enabled },
  alsoCalled: ['link level retry'],
  topic:
    'Link-level retry (Ultra Ethernet link layer): frames have a number in their preamble, and ' +
    'the sender keeps them until they are acknowledged. The receiver of a bad frame sends a ' +
    'NACK, discards what follows, and the sender sends again from there (go-back-N), so a link ' +
    'with bit errors loses nothing and adds about a round trip of the link. A sender that makes ' +
    'no progress flushes. `llr: { enabled: true }`.',
  plan: (context) => new LlrPlan(context),
  advertise: ({ device }, _context, plan) =>
    plan.ofSwitch(device) === null ? {} : { linkLayer: { ...blankLinkLayer(), retry: true } },
  conformance: llrConformance,
  results: llrResults,
  cards: llrCards,
};
