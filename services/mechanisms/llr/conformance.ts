import type { Conformance } from '../../engine/contract/conformance.js';

const UNIT = 'test/unit/mechanisms/llr.test.ts';
const WIRE = 'test/unit/engine/wire/llr.test.ts';
const CASES = 'test/validation/link-layer-cases.test.ts';
const SCENARIO = 'test/scenario/link-retry.test.ts';
const UEC = { of: 'Ultra Ethernet 1.0: link layer', clause: 'LLR' } as const;

/** Link-level retry, sentence by sentence of what is public. */
export const llrConformance: Conformance = {
  name: 'llr',
  title: 'Link-level retry (LLR)',
  about:
    'Ultra Ethernet 1.0, chapter 5, by what is public of it: a link sends bad frames again. What ' +
    'is chosen is in [the README](../../services/mechanisms/llr/README.md).',
  claims: [
    {
      ...UEC,
      says: 'A frame carries a number of 20 bits in its preamble: no octet is added to it.',
      ...{ key: 'llr.priorities', example: 'link-retry', octets: 'Link-level retry: preamble' },
      test: [WIRE, 'has all bits of the number, and nothing else changes'],
    },
    {
      ...UEC,
      says: 'Acknowledgements are ordered sets between frames.',
      ...{
        key: 'llr.spacing',
        example: 'link-retry',
        octets: 'Link-level retry',
        capture: ['leaf1:p*'],
      },
      test: [WIRE, 'is laid out as the public descriptions say'],
    },
    {
      ...UEC,
      says: 'A receiver asks once for a frame that is missing, and discards until it comes.',
      ...{ key: 'llr.enabled', example: 'link-retry' },
      test: [UNIT, 'asks once for the frame that is missing, and is silent until it comes'],
    },
    {
      ...UEC,
      says: 'A sender replays in order, and flushes after replays without progress.',
      ...{ key: 'llr.replays', example: 'link-retry' },
      test: [UNIT, 'replays in order, and gives up after so many replays without progress'],
    },
    {
      ...UEC,
      says: 'Without an acknowledgement all is sent again when the replay timer ends.',
      ...{ key: 'llr.replayTimer', example: 'link-retry' },
      test: [SCENARIO, 'sends the last frame again by the replay timer, when the NACK is lost'],
    },
    {
      ...UEC,
      says: 'No more frames are outstanding than the limit says.',
      ...{ key: 'llr.frames', example: 'link-retry' },
      test: [CASES, 'LLR-07: no more frames are outstanding than may be'],
    },
    {
      ...UEC,
      says: 'While a link initialises or flushes, frames are blocked, discarded, or unprotected.',
      ...{ key: 'llr.whileInit', example: 'link-retry' },
      test: [SCENARIO, 'lets frames out without retry, blocks them, or discards them while'],
    },
    {
      ...UEC,
      says: 'A receiver does not ask again for a frame that a switch has poisoned.',
      ...{ key: 'switches.cutThrough', example: 'link-retry' },
      test: [SCENARIO, 'asks for no frame again that a switch has poisoned'],
    },
    {
      ...UEC,
      says: 'LLDP says that a port has it.',
      ...{
        key: 'llr',
        example: 'link-retry',
        octets: 'LLDP: UEC link layer',
        capture: ['leaf1:p1', 'discovery=true'],
      },
      test: ['test/interop/tshark-link-layer.test.ts', 'have every field at its place'],
    },
  ],
};
