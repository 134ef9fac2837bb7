// `fairlead migrate PROVIDER/TYPE`: applies the newest form of the resources of a type that have an older version.
import type { ResourceDefinition, ResourceRecord } from '../../../api/shapes.ts';
import { counted } from '../../../client/time.ts';
import { slashed } from '../../../domain/identity.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Api } from '../../session/api/client.ts';
import { inParallel } from '../../session/api/parallel.ts';
import { withRequestProgress } from '../../session/api/request-progress.ts';
import type { Invocation } from '../../session/invocation.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import { acceptedPlan, applyAll } from '../apply/batch.ts';
import { finishApply } from '../apply/outcome.ts';
import { showPlan } from '../apply/plan-view.ts';
import { type Refusal, requireAccepted } from '../apply/refusal.ts';
import type { Declaration } from '../declarations/declaration.ts';
import { typeNamed } from '../type-named.ts';
import { isSameDeclaration, requireUnmasked } from '../versions.ts';
import { migrationOf } from './migration.ts';

const nothing = 'Nothing was applied.';

export async function migrateStored(invocation: Invocation, name: string): Promise<void> {
  const { flags, questions, talk } = invocation;
  const api = await invocation.api();
  const type = typeNamed(await api.list('listTypes', {}), name);
  const version = type.type_version;
  // Without a number it was applied with kubectl: its version is decided when its event is made.
  const older = (await resourcesOfType(invocation, api, type)).filter(
    ({ type_version: own }) => (own ?? version) < version,
  );
  if (older.length === 0) {
    talk.note(`No resource of ${name} has a version before ${version}.`);
    return;
  }
  const declarations = await declarationsFor(invocation, type, older);
  const plan = await acceptedPlan(invocation, { declarations }, nothing);
  requireSame(older, await resourcesOfType(invocation, api, type));
  if (flags.on('dry-run')) return await showPlan(invocation, plan);
  const resources = counted(older.length, 'resource');
  const question = `Apply ${resources} of ${name} in version ${version}? ${older.length === 1 ? 'It is' : 'They are'} updated by the provider.`;
  if (!(await questions.confirm(question))) {
    talk.note(nothing);
    return;
  }
  const digests = plan.answers.map((each) => each.plan);
  const { members } = await applyAll(invocation, { declarations, digests });
  await finishApply(invocation, members);
}

async function resourcesOfType(
  { context }: Invocation,
  api: Api,
  type: ResourceDefinition,
): Promise<readonly ResourceRecord[]> {
  const { provider, resource } = type;
  const { project } = await context();
  const inProject = project === undefined ? {} : { project_id: project };
  const query = { provider, resource, limit: 1_000, ...inProject };
  return await api.list('listResources', { query });
}

/** The plan is made of what was migrated: a change by others in between is not taken back. @throws CliError */
function requireSame(before: readonly ResourceRecord[], now: readonly ResourceRecord[]): void {
  const records = new Map(now.map((each) => [each.id, each]));
  const changed = before.filter((each) => {
    const record = records.get(each.id);
    return record === undefined || !isSameDeclaration(each, record);
  });
  const [first] = changed;
  if (first === undefined) return;
  const what =
    changed.length === 1
      ? `${slashed(first)} was changed while it was migrated.`
      : `${changed.length} resources were changed while they were migrated.`;
  throw new CliError(what, {
    exit: ExitCode.conflict,
    facts: changed.length === 1 ? [] : changed.map(slashed),
    next: `${nothing}  Run the same command again.`,
  });
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

async function declarationFor(
  api: Api,
  type: ResourceDefinition,
  record: ResourceRecord,
): Promise<Declaration> {
  requireUnmasked(record);
  const config = record.config as JsonObject;
  const from = record.type_version ?? type.type_version;
  const migration = await migrationOf(api, { type, config, from });
  const declaration = declarationWith(record, migration.config);
  return { ...declaration, body: { ...declaration.body, type_version: migration.to } };
}

function declarationWith(record: ResourceRecord, config: JsonObject): Declaration {
  const { provider, resource, name, project_id, dependencies, lifecycle_state: state } = record;
  const ref = slashed(record);
  return {
    ref,
    place: ref,
    placeOf: () => ref,
    isMigrated: true,
    body: {
      ...{ provider, resource, name, project_id, config },
      lifecycle_state: state === 'draft' ? 'draft' : 'pending',
      dependencies: [...dependencies],
    },
  };
}
