import { readPlugin } from '../fabric/scenario/read-plugins.js';
import type { PluginSource } from '../plugins/source.js';
import { UnusablePlugin } from '../plugins/source.js';
import { InputError } from './exit.js';

/** Of commands that do not belong to one scenario. */
export interface PluginOptions {
  /** Files of plugins. */
  readonly plugin: readonly string[];
}

/** The plugins that the command line names. */
export function pluginsNamed(files: readonly string[]): readonly PluginSource[] {
  try {
    return files.map(readPlugin);
  } catch (error) {
    throw error instanceof UnusablePlugin ? new InputError(`--plugin: ${error.message}`) : error;
  }
}
