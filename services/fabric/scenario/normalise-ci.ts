/** `ci` of the file -> what holds for every switch. */

import type { CiSection } from './scenario.js';
import type { CiChangeInput, CiInput } from './schema-ci.js';

export function ciSection(input: CiInput): CiSection {
  return ciChange(input) as CiSection;
}

export function ciChange(input: CiChangeInput): Partial<CiSection> {
  const { enable, priority, detect, low, messages, streams, encapsulation } = input;
  return {
    ...(enable !== undefined && { enabled: enable }),
    ...(priority !== undefined && { priority }),
    ...(detect !== undefined && { thresholdBytes: detect === 'auto' ? null : detect }),
    ...(low !== undefined && { lowBytes: low === 'auto' ? null : low }),
    ...(messages !== undefined && { maxCim: messages }),
    ...(streams !== undefined && { maxStreams: streams }),
    ...(input.flowLife !== undefined && { maxFlowLifePs: input.flowLife }),
    ...(input.idle !== undefined && { idlePs: input.idle }),
    ...(input.quote !== undefined && { quoteBytes: input.quote }),
    ...(input.messagePriority !== undefined && { messagePriority: input.messagePriority }),
    ...(encapsulation !== undefined && { encapsulation }),
  };
}
