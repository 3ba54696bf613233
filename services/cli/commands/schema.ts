import { scenarioJsonSchema } from '../../fabric/scenario/catalogue.js';
import type { PluginOptions } from '../named-plugins.js';
import { pluginsNamed } from '../named-plugins.js';
import { writeOut } from '../write-out.js';

export interface SchemaOptions extends PluginOptions {
  readonly out?: string;
}

export function schemaCommand(options: SchemaOptions): void {
  const schema = scenarioJsonSchema(pluginsNamed(options.plugin));
  writeOut(`${JSON.stringify(schema, null, 2)}\n`, options.out);
}
