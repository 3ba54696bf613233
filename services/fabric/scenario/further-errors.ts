/**
 * Errors that later steps find in what is right of a scenario: the keys that earlier errors are
 * about are left out, and the scenario is read again.
 */

import { nearestName, ScenarioError } from '../../settings/errors.js';
import type { Path, SourceNode } from '../../settings/source-tree.js';
import { plainValue, withoutKey, withValue } from '../../settings/source-tree.js';
import { GENERATORS } from './schema-fabric.js';

/** Other sections name what is defined here: without it they have errors that are none. */
const NAMED_ELSEWHERE = new Set(['extends', 'groups', 'plugins']);

/** How far a scenario can be judged that lacks some keys. */
type Reach = 'topology' | 'scenario';

/** Appends to `error` what `read` finds in the rest of the tree, as far as that can be judged. */
export function findFurther(
  error: ScenarioError,
  tree: SourceNode,
  read: (rest: SourceNode, reach: Reach) => unknown,
): void {
  const known = [error, ...error.others].map(({ path }) => path);
  if (known.some((path) => NAMED_ELSEWHERE.has(String(path[0])) || path.at(-1) === 'name')) return;
  const gone: Path[] = [];
  let rest = tree;
  const leaveOut = (path: Path): boolean => {
    const less = withoutKey(rest, path);
    if (less === null) return false;
    gone.push(path);
    rest = less;
    return true;
  };
  for (const path of known) {
    const meant = isGenerator(path) ? withNearGenerator(rest) : null;
    if (meant !== null) rest = meant;
    else if (!leaveOut(path)) {
      // An item of a list has no key: the section goes, and what refers to it.
      leaveOut(path.slice(0, 1));
      if (path[0] === 'load') leaveOut(['expect']);
    }
  }
  if (rest === tree) return;
  try {
    read(rest, known.some(([first]) => first === 'fabric') ? 'scenario' : 'topology');
  } catch (further) {
    if (!(further instanceof ScenarioError)) throw further;
    const isNew = ({ path }: ScenarioError): boolean =>
      !gone.some((missing) => isConsequence(path, missing));
    error.others.push(...[further, ...further.others].filter(isNew));
  }
}

/** With the generator that was probably meant, by which keys are judged; null if none is near. */
function withNearGenerator(tree: SourceNode): SourceNode | null {
  const { fabric } = plainValue(tree) as { fabric: { generator: unknown } };
  const value = nearestName(String(fabric.generator), GENERATORS);
  if (value === null) return null;
  return withValue(tree, ['fabric', 'generator'], { kind: 'scalar', place: tree.place, value });
}

/** An error that is there because a key is not, or about a part of its value. */
function isConsequence(path: Path, missing: Path): boolean {
  // Without a generator every size of one is unknown.
  if (isGenerator(missing) && path[0] === 'fabric' && path.length <= 2) return true;
  // Keys of a mapping are judged together.
  const beside = missing.slice(0, -1);
  return isWithin(path, missing) || isWithin(missing, path) || isBelow(path, beside);
}

function isGenerator(path: Path): boolean {
  return path.length === 2 && path[0] === 'fabric' && path[1] === 'generator';
}

/** Directly in the mapping, which is not the whole file. */
function isBelow(path: Path, outer: Path): boolean {
  return outer.length > 0 && path.length === outer.length + 1 && isWithin(path, outer);
}

function isWithin(path: Path, outer: Path): boolean {
  return outer.every((step, depth) => String(path[depth]) === String(step));
}
