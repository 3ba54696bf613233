/** `dcqcn` and `qcn` of the file -> their parameters in base units. */

import type { Located } from './located.js';
import type { DcqcnSection, QcnSection, TimelySection } from './scenario.js';
import type { DcqcnInput, QcnInput, TimelyInput } from './schema-congestion.js';
import { hostSelector } from './selector.js';

export function dcqcnSection(input: DcqcnInput): DcqcnSection {
  return {
    variant: input.variant,
    gain: input.gain,
    alphaPeriodPs: input.alphaPeriod,
    cutPeriodPs: input.cutPeriod,
    raisePeriodPs: input.raisePeriod,
    raiseBytes: input.raiseBytes,
    fastCycles: input.fastCycles,
    activeBps: input.activeRate,
    hyperBps: input.hyperRate,
    minBps: input.minRate,
    clampTarget: input.clampTarget,
    cnpIntervalPs: input.cnpInterval,
    cnpPriority: input.cnpPriority,
  };
}

export function qcnSection(input: QcnInput, located: Located): QcnSection {
  return {
    priorities: [...new Set(input.priorities)],
    alternatePriority: input.alternatePriority,
    cnmPriority: input.cnmPriority,
    quoteBytes: input.quote,
    setPointBytes: orScaled(input.setPoint),
    weightExponent: input.weight,
    sampleBytes: orScaled(input.sampleBase),
    timeResetPs: input.timeReset,
    byteReset: orScaled(input.byteReset),
    threshold: input.threshold,
    activeBps: orScaled(input.activeRate),
    hyperBps: orScaled(input.hyperRate),
    gain: input.gain,
    minDecreaseFactor: input.minDecrease,
    minBps: orScaled(input.minRate),
    defence: input.defence,
    ports: Object.entries(input.ports).map(([match, defence]) => ({ match, defence })),
    outside:
      input.outside.length === 0 ? [] : hostSelector(input.outside, ['qcn', 'outside'], located),
  };
}

export function timelySection(input: TimelyInput, located: Located): TimelySection {
  if (input.low >= input.high) {
    const at = located.has(['timely', 'high']) ? 'high' : 'low';
    throw located.errorAt(['timely', at], 'high is not above low');
  }
  return {
    lowPs: input.low,
    highPs: input.high,
    leastPs: input.roundTrip,
    smoothing: input.smoothing,
    decrease: input.decrease,
    stepBps: input.step,
    minBps: input.minRate,
  };
}

function orScaled(value: number | 'auto'): number | null {
  return value === 'auto' ? null : value;
}
