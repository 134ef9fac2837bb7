// Builds must accept the schemas of the type and of the settings.
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { inspectSchema } from '../../../providers/schema-sandbox/rules.ts';
import { settingsSchemaOf } from '../../settings.ts';
import type { Subject } from './subject.ts';

export function checkSchemas({ kit: { provider }, registration, found }: Subject): void {
  const settings = settingsSchemaOf(provider);
  const all = [
    ...recorded(registration ?? {}),
    ...(settings ? [['settings', settings] as const] : []),
  ];
  for (const [whose, schema] of all) {
    const [violation] = inspectSchema(schema).violations;
    if (violation === undefined) continue;
    const where = violation.loc.length === 0 ? '' : ` at ${violation.loc.join('.')}`;
    found.add(`schema of ${whose}${where}: expected what builds accept, saw that ${violation.msg}`);
  }
}

const recordedAs = new Map([
  ['schema', 'config'],
  ['outputs_schema', 'outputs'],
]);

/** @returns every schema that a build records of a type, also of its earlier versions */
function* recorded(registration: object, version = ''): Iterable<readonly [string, JsonObject]> {
  for (const [member, value] of Object.entries(registration)) {
    const whose = recordedAs.get(member);
    if (whose !== undefined && isJsonObject(value)) yield [`${whose}${version}`, value];
    if (member !== 'earlier_versions') continue;
    for (const earlier of value as readonly { type_version: number }[]) {
      yield* recorded(earlier, ` in version ${earlier.type_version}`);
    }
  }
}
