import { CollectedErrors } from '../../settings/collected-errors.js';
import type { LoadSection } from '../scenario/scenario.js';
import { expandAllReduce } from './all-reduce.js';
import type { Flow } from './flow.js';
import type { Job } from './job.js';
import { expandJob } from './job-load.js';
import type { LoadContext } from './load-entry.js';
import { FlowTable, LoadEntry } from './load-entry.js';
import { expandAllToAll, expandIncast, expandPermutation, expandStream } from './patterns.js';
import { expandPlugin } from './plugin-load.js';
import { expandRandom } from './random-messages.js';
import { expandReplay } from './replay.js';

/** What a scenario's loads come to. */
interface ExpandedLoad {
  /** Load by load. */
  readonly flows: readonly Flow[];
  readonly jobs: readonly Job[];
}

export function expandLoad(sections: readonly LoadSection[], context: LoadContext): ExpandedLoad {
  const table = new FlowTable();
  const names = new Set<string>();
  const errors = new CollectedErrors();
  sections.forEach((section, index) => {
    errors.attempt(() => {
      const entry = new LoadEntry(section, index, context, table);
      if (section.name !== '' && names.has(section.name)) {
        throw entry.fail(['name'], `there are two loads named ${section.name}`);
      }
      names.add(section.name);
      expand(entry, section);
    });
  });
  errors.settle();
  return table;
}

function expand(entry: LoadEntry, section: LoadSection): void {
  switch (section.kind) {
    case 'stream':
      expandStream(entry, section);
      return;
    case 'incast':
      expandIncast(entry, section);
      return;
    case 'permutation':
      expandPermutation(entry, section);
      return;
    case 'all-to-all':
      expandAllToAll(entry, section);
      return;
    case 'all-reduce':
      expandAllReduce(entry, section);
      return;
    case 'random':
      expandRandom(entry, section);
      return;
    case 'plugin':
      expandPlugin(entry, section);
      return;
    case 'job':
      expandJob(entry, section);
      return;
    case 'replay':
      expandReplay(entry, section);
      return;
  }
}
