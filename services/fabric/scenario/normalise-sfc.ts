/** `sfc` of the file -> what holds for every device. */

import type { Located } from './located.js';
import type { SfcDetectSection, SfcSection } from './scenario.js';
import type { SfcChangeInput, SfcInput } from './schema-sfc.js';
import type { Path } from '../../settings/source-tree.js';

export function sfcSection(input: SfcInput, located: Located): SfcSection {
  return sfcChange(input, ['sfc'], located) as SfcSection;
}

export function sfcChange(
  input: SfcChangeInput,
  path: Path,
  located: Located,
): Partial<SfcSection> {
  const { send, receive, proxy, detect, target, pause, resume, scope, encapsulation } = input;
  checkDetector(detect, [...path, 'detect'], located);
  return {
    ...(send !== undefined && { send }),
    ...(receive !== undefined && { receive }),
    ...(proxy !== undefined && { proxy }),
    ...(detect !== undefined && { detect: detectSection(detect) }),
    ...(target !== undefined && { targetBytes: target === 'auto' ? null : target }),
    ...(input.minInterval !== undefined && { minIntervalPs: input.minInterval }),
    ...(pause !== undefined && { pausePs: pause === 'auto' ? null : pause }),
    ...(input.pauseMin !== undefined && { pauseMinPs: input.pauseMin }),
    ...(input.pauseMax !== undefined && { pauseMaxPs: input.pauseMax }),
    ...(resume !== undefined && { resume }),
    ...(input.sources !== undefined && { maxSources: input.sources }),
    ...(input.sourceLife !== undefined && { sourceLifePs: input.sourceLife }),
    ...(input.quote !== undefined && { quoteBytes: input.quote }),
    ...(input.priority !== undefined && { priority: input.priority }),
    ...(encapsulation !== undefined && {
      encapsulation: encapsulation === 'auto' ? 'ipv4' : encapsulation,
    }),
    ...(scope !== undefined && { scope }),
    ...(input.processing !== undefined && { processingPs: input.processing }),
  };
}

function detectSection(detect: SfcInput['detect']): SfcDetectSection {
  if (detect === 'auto') return { kind: 'auto' };
  if (typeof detect === 'number') return { kind: 'threshold', bytes: detect };
  if ('dynamic' in detect) return { kind: 'dynamic', alpha: detect.dynamic };
  if ('predicted' in detect) {
    return { kind: 'predicted', bytes: detect.predicted, horizonPs: detect.horizon };
  }
  const { min, max, probability } = detect;
  return { kind: 'marking', minBytes: min, maxBytes: max, probability };
}

function checkDetector(detect: SfcChangeInput['detect'], path: Path, located: Located): void {
  if (typeof detect !== 'object' || !('min' in detect) || detect.min < detect.max) return;
  throw located.errorAt([...path, 'max'], 'max is not above min');
}
