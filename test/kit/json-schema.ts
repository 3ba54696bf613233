/** The published JSON Schema, by a validator that is not ours, beside the program. */

import assert from 'node:assert/strict';
import { isIPv4, isIPv6 } from 'node:net';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { scenarioJsonSchema } from '../../services/fabric/scenario/catalogue.js';
import { scenarioOfDocument } from '../../services/fabric/scenario/load-scenario.js';
import type { PluginSource } from '../../services/plugins/source.js';
import { scenarioSchema } from '../../services/fabric/scenario/schema.js';
import { ScenarioError } from '../../services/settings/errors.js';
import { ROOT } from './emulate.js';

const ajv = new Ajv2020({ allErrors: true, strict: false });
ajv.addFormat('ipv4', isIPv4);
ajv.addFormat('ipv6', isIPv6);
const published = ajv.compile(scenarioJsonSchema());

function validatorWith(plugins: readonly PluginSource[]): typeof published {
  const $id = `urn:selvage:with:${plugins.map(({ sha256 }) => sha256).join(':')}`;
  return ajv.getSchema($id) ?? ajv.compile({ ...scenarioJsonSchema(plugins), $id });
}

/** Messages of an editor: those inside a condition, and not that a condition does not hold. */
export function editorErrors(document: unknown, plugins: readonly PluginSource[] = []): string[] {
  const validate = plugins.length === 0 ? published : validatorWith(plugins);
  if (validate(document)) return [];
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if');
  return errors.map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);
}

function programRefuses(document: unknown): boolean {
  try {
    scenarioOfDocument(join(ROOT, 'examples', 'written.yaml'), document);
  } catch (error) {
    if (error instanceof ScenarioError) return true;
    throw error;
  }
  return false;
}

/** What the program refuses by itself, without looking at other keys, the schema refuses, too. */
export function assertJudgedAlike(document: unknown): void {
  const errors = editorErrors(document);
  const isOfShape = scenarioSchema.safeParse(document, { jitless: true }).success;
  if (errors.length === 0) assert.ok(isOfShape, 'the program refuses, and the schema does not');
  else
    assert.ok(
      programRefuses(document),
      `the schema refuses, and the program does not: ${errors[0]!}`,
    );
}
