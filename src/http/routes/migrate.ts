// Implements POST /resources/types/{provider}/{resource}/migrate: a config of an earlier version of a type in its newest form. The
// provider migrates it; nothing is written.
import { FairleadError, InvalidRequest, type Violation } from '../../domain/errors.ts';
import { migrationFailed } from '../../domain/event.ts';
import type { AskProvider, ProviderReply } from '../../domain/providers/provider-request.ts';
import { checkConfig } from '../../domain/schemas/check-config.ts';
import type { SchemaSandbox } from '../../domain/schemas/schema.ts';
import { isJsonObject, type JsonObject, jsonBytes } from '../../lib/json.ts';
import type { DefinitionStore } from '../../store/interfaces.ts';
import type { DefinitionRecord } from '../../store/records.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { providerUnavailable } from '../response/provider-unavailable.ts';
import { json } from '../response/send.ts';
import { retired } from './config-validator.ts';

interface MigrateRoutesDeps {
  readonly definitions: Pick<DefinitionStore, 'findFresh'>;
  readonly schemas: Pick<SchemaSandbox, 'validate'>;
  readonly askProvider: AskProvider;
  /** The largest config, in bytes of compact JSON. */
  readonly configBytes: number;
}

const description = [
  'Answers with the config as the migrations of the provider make it. Stored resources do not change.',
  'A config that has the newest version already is validated, and returned as it is.',
].join(' ');

export function migrateRoutes(deps: MigrateRoutesDeps): readonly Endpoint[] {
  return [
    endpoint('migrateConfig', {
      documentation: {
        tag: 'Types',
        summary: 'Bring a config into the newest version of its type',
        description,
        answer: { status: 200, description: 'The config in the newest version.' },
        errors: ['not_found', 'type_retired', 'migration_failed', 'conflict', 'unavailable'],
      },
      handle: async ({ caller: { organization }, path, body: { from, config }, closed }) => {
        const { provider, resource } = path;
        if (jsonBytes(config) > deps.configBytes) {
          const message = `The config is larger than ${deps.configBytes} bytes`;
          throw new FairleadError('too_large', message);
        }
        const type = await deps.definitions.findFresh(organization, provider, resource);
        if (type === undefined) {
          throw new FairleadError('not_found', `Type ${provider}/${resource} is not registered`);
        }
        if (type.retired !== null) throw retired(path, type.retired);
        const tenant = organization.namespace;
        const misfits = await migratedMisfits(deps, schemaOfVersion(type, from), {
          config,
          tenant,
        });
        if (misfits.length > 0) throw new InvalidRequest(misfits.map(inConfig));
        const newest = type.typeVersion;
        if (from === newest) return json({ config, type_version: newest });
        const asked = { event_type: 'MIGRATE', provider, resource, schema_version: from } as const;
        const reply = await deps.askProvider(organization, { ...asked, config }, closed());
        const migrated = migratedIn(reply, type);
        const left = await migratedMisfits(deps, type.schema, { config: migrated, tenant });
        if (left.length > 0) throw unfit(left, newest);
        return json({ config: migrated, type_version: newest });
      },
    }),
  ];
}

/** @throws InvalidRequest for a number that is none of the type's versions */
function schemaOfVersion(
  { provider, resource, typeVersion, schema, earlierVersions }: DefinitionRecord,
  from: number,
): JsonObject | null {
  if (from === typeVersion) return schema;
  const earlier = earlierVersions.find((each) => each.typeVersion === from);
  if (earlier !== undefined) return earlier.schema;
  const versions = [...earlierVersions.map((each) => each.typeVersion), typeVersion];
  const known = versions.sort((left, right) => left - right).join(', ');
  const msg = `Type ${provider}/${resource} does not migrate from version ${from}; it has ${known}`;
  throw new InvalidRequest([{ loc: ['body', 'from'], msg, type: 'value_error', input: from }]);
}

async function migratedMisfits(
  { schemas }: MigrateRoutesDeps,
  schema: JsonObject | null,
  checked: { readonly config: JsonObject; readonly tenant: string },
): Promise<readonly Violation[]> {
  return schema === null ? [] : await checkConfig(schemas, schema, checked);
}

function inConfig(violation: Violation): Violation {
  return { ...violation, loc: ['body', 'config', ...violation.loc] };
}

/** @throws FairleadError `migration_failed`, `unavailable`, `conflict` */
function migratedIn(
  reply: ProviderReply,
  { provider, resource, typeVersion }: DefinitionRecord,
): JsonObject {
  switch (reply.kind) {
    case 'done': {
      const { config, schema_version: version } = reply.body;
      if (!isJsonObject(config)) throw migrationRefused('The provider answered without a config');
      if (version === typeVersion) return config;
      // The version that serves has changed since the type was read, or is about to.
      throw providerUnavailable(
        `Provider ${provider} answered with another version than ${typeVersion}`,
      );
    }
    case 'refused':
      throw migrationRefused(reply.message);
    case 'unavailable':
      throw providerUnavailable(reply.message);
    case 'unknown': {
      const message = `Provider ${provider} cannot migrate configs of ${resource}: its version that serves was built with an SDK that does not know the request; push it with a newer SDK`;
      throw new FairleadError('conflict', message);
    }
  }
}

function migrationRefused(msg: string): InvalidRequest {
  const violation = { loc: ['body', 'config'], msg, type: migrationFailed };
  return new InvalidRequest([violation], { code: migrationFailed });
}

/** The config that the provider made may be repeated: its author sent what it was made from. */
function unfit(misfits: readonly Violation[], version: number): InvalidRequest {
  const violations = misfits.map(({ loc, msg }) => ({
    loc: ['body', 'config', ...loc],
    msg: `${msg}, after the migration to version ${version}`,
    type: migrationFailed,
  }));
  return new InvalidRequest(violations, { code: migrationFailed });
}
