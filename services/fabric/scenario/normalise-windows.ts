/** `hpcc` and `swift` of the file -> their parameters in base units. */

import type { Located } from './located.js';
import type { HpccSection, SwiftSection } from './window-sections.js';
import type { HpccInput, SwiftInput } from './schema-windows.js';

export function hpccSection(input: HpccInput): HpccSection {
  return {
    utilisation: input.utilisation,
    stages: input.stages,
    increaseOctets: input.increase,
    roundTripPs: input.roundTrip,
    minBps: input.minRate,
  };
}

export function swiftSection(input: SwiftInput, located: Located): SwiftSection {
  for (const [least, most] of [
    ['flowLeast', 'flowMost'],
    ['least', 'most'],
  ] as const) {
    if (input[least] < input[most]) continue;
    const at = located.has(['swift', most]) ? most : least;
    throw located.errorAt(['swift', at], `${most} is not above ${least}`);
  }
  return {
    baseTargetPs: input.target,
    hopPs: input.hop,
    flowRangePs: input.flowRange,
    flowLeast: input.flowLeast,
    flowMost: input.flowMost,
    endpointTargetPs: input.endpointTarget,
    increase: input.increase,
    decrease: input.decrease,
    maxDecrease: input.maxDecrease,
    initial: input.initial,
    least: input.least,
    most: input.most,
  };
}
