import { parentPort, workerData } from 'node:worker_threads';
import { buildFabric } from '../fabric/assembly/fabric.js';
import { scenarioOfDocument } from '../fabric/scenario/load-scenario.js';
import type { Document } from './document.js';
import { returnMemory } from './return-memory.js';
import { tryOut } from './trial.js';
import type { VariationOptions } from './variation.js';
import { Variations } from './variation.js';

/** Input of a worker. */
export interface HuntTask {
  readonly file: string;
  readonly document: Document;
  readonly options: VariationOptions;
  /** With the second oracle. */
  readonly deep: boolean;
}

const { file, document, options, deep } = workerData as HuntTask;
const variations = new Variations(
  document,
  buildFabric(scenarioOfDocument(file, document)),
  options,
);

parentPort!.on('message', (run: number) => {
  parentPort!.postMessage({ run, verdict: tryOut(file, variations.make(run), null, deep) });
  returnMemory();
});
