import { scenarioJsonSchema } from '../../fabric/scenario/catalogue.js';
import { writeOut } from '../write-out.js';

export function schemaCommand(options: { readonly out?: string }): void {
  writeOut(`${JSON.stringify(scenarioJsonSchema(), null, 2)}\n`, options.out);
}
