import { scenarioJsonSchema } from '../../fabric/scenario/catalogue.js';
import { summaryJsonSchema } from '../../report/summary/summary-schema.js';
import { InputError } from '../exit.js';
import type { PluginOptions } from '../named-plugins.js';
import { pluginsNamed } from '../named-plugins.js';
import { writeOut } from '../write-out.js';

export interface SchemaOptions extends PluginOptions {
  readonly out?: string;
  /** Of `summary.json`, and not of scenarios. */
  readonly summary?: boolean;
}

export function schemaCommand(options: SchemaOptions): void {
  const { summary = false, plugin } = options;
  if (summary && plugin.length > 0) {
    throw new InputError('--summary and --plugin exclude each other: plugins add no results');
  }
  const schema = summary ? summaryJsonSchema() : scenarioJsonSchema(pluginsNamed(plugin));
  writeOut(`${JSON.stringify(schema, null, 2)}\n`, options.out);
}
