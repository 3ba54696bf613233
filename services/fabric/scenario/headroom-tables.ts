/** Tables of headroom that profiles name: `pg_profile_lookup.ini` of an operator. */

import { type PgProfiles, readPgProfiles } from '../buffers/pg-profiles.js';
import type { ScenarioError } from '../../settings/errors.js';
import type { Path } from '../../settings/source-tree.js';
import type { Located } from './located.js';
import { readTable } from './read-source.js';
import type { ProfileInput, ProfileSection } from './schema-buffer.js';

export function profilesOf(
  profiles: Readonly<Record<string, ProfileInput>>,
  path: Path,
  located: Located,
): Record<string, ProfileSection> {
  return Object.fromEntries(
    Object.entries(profiles).map(([name, profile]): [string, ProfileSection] => {
      const { headroom } = profile;
      if (typeof headroom !== 'object' || !('table' in headroom)) {
        return [name, { ...profile, headroom }];
      }
      const place = [...path, name, 'headroom', 'table'];
      return [name, { ...profile, headroom: { table: tableAt(place, headroom.table, located) } }];
    }),
  );
}

/** All that is wrong in it is said at once. */
function tableAt(path: Path, name: string, located: Located): PgProfiles {
  const file = located.fileAt(path, name);
  const wrong: ScenarioError[] = [];
  const table = readPgProfiles(file, textOf(file, path, located), {
    add(at, message) {
      const key = at.key === '' ? '' : `${at.key}: `;
      wrong.push(located.errorAt(path, `${at.file}:${at.line}: ${key}${message}`));
    },
  });
  const [first, ...others] = wrong;
  if (first === undefined && table.all().length > 0) return table;
  if (first === undefined) throw located.errorAt(path, `${file}: there are no lines in it`);
  first.others.push(...others);
  throw first;
}

function textOf(file: string, path: Path, located: Located): string {
  try {
    return readTable(file);
  } catch (error) {
    throw located.errorAt(path, `${file}: ${(error as Error).message}`);
  }
}
