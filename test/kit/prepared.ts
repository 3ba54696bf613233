/** Imported before tests: the engine is compiled for them as for users. */

import { prepareEngine } from '../../services/runtime/engine-flags.js';

prepareEngine();
