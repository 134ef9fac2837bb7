// Implements POST /resources/preview-import: what an import would take over. The provider reads; nothing is written.
import { FairleadError, InvalidRequest } from '../../domain/errors.ts';
import { defaultProjectId, type ResourceTuple } from '../../domain/identity.ts';
import { type MissingField, missingFields } from '../../domain/observation/missing.ts';
import type { AskProvider, ProviderReply } from '../../domain/providers/provider-request.ts';
import type { SchemaSandbox } from '../../domain/schemas/schema.ts';
import { withoutSecretMembers } from '../../domain/secrets/leave-out.ts';
import { typeSchemas } from '../../domain/secrets/type-schemas.ts';
import { type DecidingSchema, isTypeVersion, schemaForVersion } from '../../domain/type-version.ts';
import { isJsonObject, type JsonObject, jsonBytes } from '../../lib/json.ts';
import { betweenSteps, inTimeSlices } from '../../lib/turns.ts';
import type { DefinitionStore } from '../../store/interfaces.ts';
import type { ImportRights } from '../../store/projects/import-rights.ts';
import type { DefinitionRecord } from '../../store/records.ts';
import type { ManagedObjects } from '../../store/resources/managed-objects/index.ts';
import { objectNotFound } from '../../store/resources/managed-objects/taken.ts';
import type { Caller } from '../auth/authenticate.ts';
import { requireImportRight } from '../auth/import-right.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { providerUnavailable, unusableAnswer } from '../response/provider-unavailable.ts';
import { json } from '../response/send.ts';
import { notRegistered, retired } from './config-validator.ts';
import { notObservable } from './observation.ts';
import { adoptMisfits } from './observing-validator.ts';

interface ImportRoutesDeps {
  readonly projects: ImportRights;
  readonly definitions: Pick<DefinitionStore, 'findFresh' | 'list'>;
  readonly managedObjects: Pick<ManagedObjects, 'requireUntaken'>;
  readonly schemas: Pick<SchemaSandbox, 'validate'>;
  readonly askProvider: AskProvider;
  /** The largest config, in bytes of compact JSON. */
  readonly configBytes: number;
}

export function previewImport(deps: ImportRoutesDeps): Endpoint {
  return endpoint('previewImport', {
    documentation: {
      tag: 'Resources',
      summary: 'Preview an import',
      description:
        'Asks the provider for the object that `adopt` identifies, and answers with its config for an apply with `adopt`. Nothing is stored or changed. The config has no secrets, which must be declared.',
      answer: { status: 200, description: 'The object that the import would take over.' },
      errors: [
        'outside_project',
        'object_not_found',
        'object_taken',
        'not_observable',
        'type_retired',
        'unavailable',
      ],
    },
    handle: async ({ caller, body, closed, about }) => {
      const { provider, resource, name, adopt } = body;
      about({ provider, resource });
      await requireImportRight(deps.projects, caller);
      if (jsonBytes(adopt) > deps.configBytes) {
        throw new FairleadError('too_large', `The adopt is larger than ${deps.configBytes} bytes`);
      }
      const type = await importableType(deps, caller, body);
      const projectId = caller.project ?? defaultProjectId(caller.organization);
      const asked = observeRequest(body, { type, adopt, projectId });
      const found = importedObject(
        await deps.askProvider(caller.organization, asked, closed()),
        body,
      );
      // After the answer: whatever the provider answers or does, an object of another project is like one that does not exist.
      const { outputs: named } = found;
      const tuple = { provider, resource, name };
      const sought = { tuple, adopt, outputs: named, scope: caller.project };
      await deps.managedObjects.requireUntaken(caller.organization, sought);
      if (jsonBytes(found.config) > deps.configBytes) {
        const message = `The config of the object is larger than ${deps.configBytes} bytes, so no resource can have it`;
        throw new FairleadError('too_large', message);
      }
      await betweenSteps();
      const { schema, typeVersion } = decidingSchemaFor(found, type);
      // Outputs may contain a secret of `adopt`, which the caller has.
      const { config, outputs } = withoutSecretMembers({ ...found, adopt }, typeSchemas(type));
      const missing: MissingField[] = [];
      await inTimeSlices(missingFields(schema ?? null, config), (field) => {
        if (field !== undefined) missing.push(field);
      });
      await betweenSteps();
      const read = { config, type_version: typeVersion, outputs, missing };
      return json({ provider, resource, name, adopt, ...read });
    },
  });
}

/** @throws InvalidRequest when there is no such type, or for an `adopt` that it does not accept; FairleadError `not_observable` */
async function importableType(
  deps: ImportRoutesDeps,
  caller: Caller,
  { provider, resource, adopt }: { provider: string; resource: string; adopt: JsonObject },
): Promise<DefinitionRecord> {
  const { organization } = caller;
  const type = await deps.definitions.findFresh(organization, provider, resource);
  if (type === undefined) throw await notRegistered(deps, caller, { provider, resource });
  if (type.retired !== null) throw retired({ provider, resource }, type.retired);
  if (type.observe !== true) throw notObservable(provider, resource);
  const misfits = await adoptMisfits(deps.schemas, type, { adopt, organization });
  if (misfits.length > 0) throw new InvalidRequest(misfits);
  return type;
}

/** @throws FairleadError `unavailable` for a version that the type in force does not have */
function decidingSchemaFor({ version }: ImportedObject, type: DefinitionRecord): DecidingSchema {
  const { schema, ...versions } = type;
  const asked = version ?? type.typeVersion;
  const deciding = schemaForVersion({ ...versions, schema: schema ?? undefined }, asked);
  if (deciding.typeVersion === asked) return deciding;
  // The version that serves has changed since the type was read, or is about to.
  throw providerUnavailable(
    `Provider ${type.provider} answered with version ${asked} of ${type.resource}, which is not in force`,
  );
}

/** As the first event of the import, but for its config: nothing is declared yet. */
function observeRequest(
  { provider, resource, name }: ResourceTuple,
  { type, adopt, projectId }: { type: DefinitionRecord; adopt: JsonObject; projectId: string },
) {
  return {
    event_type: 'OBSERVE',
    project_id: projectId,
    provider,
    resource,
    name,
    config: {},
    schema_version: type.typeVersion,
    previous_config: null,
    previous_schema_version: null,
    outputs: {},
    outputs_schema_version: type.typeVersion,
    attempt: 1,
    sequence: 0,
    generation: 0,
    context: null,
    adopt,
  } as const;
}

interface ImportedObject {
  readonly config: JsonObject;
  readonly outputs: JsonObject;
  readonly version: number | undefined;
}

/** @throws FairleadError `object_not_found`, `not_observable`, `unavailable`; InvalidRequest when the provider refuses `adopt` */
function importedObject(
  reply: ProviderReply,
  { provider, resource, name }: ResourceTuple,
): ImportedObject {
  switch (reply.kind) {
    case 'done': {
      const { exists, config, outputs, schema_version: version } = reply.body;
      if (exists === false) {
        throw objectNotFound({ provider, resource, name });
      }
      if (exists !== true || !isJsonObject(config) || !isJsonObject(outputs)) {
        throw unusableAnswer(
          provider,
          'OBSERVE',
          '{"exists":true,"config":{…},"outputs":{…}} or {"exists":false}',
        );
      }
      return { config, outputs, version: isTypeVersion(version) ? version : undefined };
    }
    case 'refused':
      throw new InvalidRequest([
        { loc: ['body', 'adopt'], msg: reply.message, type: 'refused_by_provider' },
      ]);
    case 'unknown':
      throw notObservable(provider, resource);
    case 'unavailable':
      throw providerUnavailable(reply.message);
  }
}
