// `fairlead migrate PROVIDER/TYPE`: applies the newest form of the resources of a type that have an older version.
import type { ResourceDefinition, ResourceRecord } from '../../../api/shapes.ts';
import { counted } from '../../../client/time.ts';
import { slashed, typeName } from '../../../domain/identity.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Api } from '../../session/api/client.ts';
import { inParallel } from '../../session/api/parallel.ts';
import { withRequestProgress } from '../../session/api/request-progress.ts';
import type { Invocation } from '../../session/invocation.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { checkAll } from '../apply/check.ts';
import { finishApply } from '../apply/outcome.ts';
import { showPlan } from '../apply/plan.ts';
import { type Refusal, requireAccepted } from '../apply/refusal.ts';
import { sendAll } from '../apply/send.ts';
import type { Declaration } from '../declarations/declaration.ts';
import { typeNamed } from '../type-named.ts';
import { requireUnmasked } from '../versions.ts';
import { migrationOf } from './migration.ts';

const nothing = 'Nothing was applied.';

export async function migrateStored(invocation: Invocation, name: string): Promise<void> {
  const { flags, questions, talk } = invocation;
  const api = await invocation.api();
  const type = typeNamed(await api.list('listTypes', {}), name);
  const older = await olderResources(invocation, api, type);
  const version = type.type_version;
  if (older.length === 0) {
    talk.note(`No resource of ${name} has a version before ${version}.`);
    return;
  }
  const declarations = await declarationsFor(invocation, type, older);
  const { checked, refusals } = await checkAll(invocation, declarations);
  const total = older.length;
  await requireAccepted(refusals, { api, total, nothing });
  if (flags.on('dry-run')) return await showPlan(invocation, checked);
  const resources = counted(older.length, 'resource');
  const question = `Apply ${resources} of ${name} in version ${version}? ${older.length === 1 ? 'It is' : 'They are'} updated by the provider.`;
  if (!(await questions.confirm(question))) {
    talk.note(nothing);
    return;
  }
  const results = await sendAll(invocation, checked);
  await finishApply(invocation, api, results);
}

async function olderResources(
  { context }: Invocation,
  api: Api,
  type: ResourceDefinition,
): Promise<readonly ResourceRecord[]> {
  const { provider, resource } = type;
  const { project } = await context();
  const inProject = project === undefined ? {} : { project_id: project };
  const query = { provider, resource, limit: 1_000, ...inProject };
  const records = await api.list('listResources', { query });
  // Without a number it was applied with kubectl: its version is decided when its event is made.
  return records.filter(({ type_version: own }) => (own ?? type.type_version) < type.type_version);
}

/** @throws CliError when a config cannot be migrated */
async function declarationsFor(
  invocation: Invocation,
  type: ResourceDefinition,
  records: readonly ResourceRecord[],
): Promise<readonly Declaration[]> {
  const api = await invocation.api();
  const requests = { word: 'migrated', total: records.length };
  const results = await withRequestProgress(invocation, requests, (done) =>
    inParallel(records, async (record): Promise<Declaration | Refusal> => {
      try {
        return await declarationFor(api, type, record);
      } catch (thrown) {
        if (thrown instanceof CliError) {
          return {
            declaration: declarationWith(record, record.config as JsonObject),
            error: thrown,
          };
        }
        throw thrown;
      } finally {
        done();
      }
    }),
  );
  const refusals = results.filter((each) => 'error' in each);
  await requireAccepted(refusals, { api, total: records.length, nothing });
  return results.filter((each) => 'ref' in each);
}

/** Read again for its ETag: nobody's later change may be replaced by what it had before. */
async function declarationFor(
  api: Api,
  type: ResourceDefinition,
  { id }: ResourceRecord,
): Promise<Declaration> {
  const { body: record, headers } = await api.request('getResource', { path: { resource_id: id } });
  requireUnmasked(record);
  const config = record.config as JsonObject;
  const from = record.type_version ?? type.type_version;
  const migration = await migrationOf(api, { type, config, from });
  const declaration = declarationWith(record, migration.config);
  const { etag } = headers;
  return {
    ...declaration,
    body: { ...declaration.body, type_version: migration.to },
    ...(typeof etag === 'string' ? { ifMatch: etag } : {}),
  };
}

function declarationWith(record: ResourceRecord, config: JsonObject): Declaration {
  const { provider, resource, name, project_id, dependencies, lifecycle_state: state } = record;
  const ref = slashed(record);
  return {
    ref,
    place: ref,
    placeOf: () => ref,
    again: [typeName(record)],
    body: {
      ...{ provider, resource, name, project_id, config },
      lifecycle_state: state === 'draft' ? 'draft' : 'pending',
      dependencies: [...dependencies],
    },
  };
}
