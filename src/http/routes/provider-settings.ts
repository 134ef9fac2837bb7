// Implements /providers/{provider}/settings: what a provider needs besides configs, such as addresses and credentials.
import { FairleadError, InvalidRequest } from '../../domain/errors.ts';
import type { Organization } from '../../domain/identity.ts';
import { jobNameOf } from '../../domain/providers/build.ts';
import type { AskProvider } from '../../domain/providers/provider-request.ts';
import type { SchemaSandbox } from '../../domain/schemas/schema.ts';
import { settingsIn } from '../../domain/schemas/setting-schema.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { BuildRecord, BuildStore } from '../../store/builds/store.ts';
import type {
  PlanSettings,
  SettingsRecord,
  SettingsStore,
} from '../../store/providers/settings.ts';
import { actorOf, type Caller } from '../auth/claims.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { planHeader, planHeaderOf } from '../request/dry-run.ts';
import { unknownName } from '../request/known-names.ts';
import { createSettingsCheck } from '../request/settings-check.ts';
import {
  type DeclaredSettings,
  hiddenSince,
  planSettings,
} from '../request/settings-validation.ts';
import { notDeployed } from '../response/not-deployed.ts';
import { presentSettings } from '../response/provider-settings.ts';
import { json, type RouteAnswer } from '../response/send.ts';

export interface SettingsRoutesDeps {
  readonly providerSettings: SettingsStore;
  readonly builds: Pick<BuildStore, 'get' | 'list'>;
  readonly schemas: Pick<SchemaSandbox, 'validate'>;
  readonly askProvider: AskProvider;
}

const tag = 'Settings';
const errors = ['build_not_found', 'not_deployed', 'provider_deleting'] as const;
const written = {
  status: 200,
  description: 'The settings after the change. With `dry_run=true`, as they would be.',
  headers: planHeaderOf('update'),
};
const consequences =
  'Sensitive values are stored in a Secret and never shown. A change replaces the pods of the provider, one after the other. Rejected while an administrator of the cluster keeps the settings in another Secret.';

const checks =
  'The version that serves checks the values first, for at most 30 seconds; when it refuses them, nothing changes.';

export function settingsRoutes(deps: SettingsRoutesDeps): readonly Endpoint[] {
  return [
    getSettings(deps),
    changeSettings(deps, {
      id: 'replaceProviderSettings',
      isWhole: true,
      summary: 'Set all settings of a provider',
      description: `Values that are left out are removed. ${checks} ${consequences}`,
    }),
    changeSettings(deps, {
      id: 'updateProviderSettings',
      isWhole: false,
      summary: 'Set some settings of a provider',
      description: `Values that are left out stay. ${checks} ${consequences}`,
    }),
    removeSetting(deps),
  ];
}

function getSettings(deps: SettingsRoutesDeps): Endpoint {
  return endpoint('getProviderSettings', {
    documentation: {
      tag,
      summary: 'Get the settings of a provider',
      description:
        'The settings that the deployed version declares, or the newest successful build. Sensitive ones show only that they are set, since when and by whom.',
      answer: { status: 200, description: 'The settings.' },
      errors,
    },
    handle: async ({ caller: { organization }, path: { provider } }) => {
      const record = await deps.providerSettings.get(organization, provider);
      return json(presentSettings(record, await settingsOfVersion(deps, organization, record)));
    },
  });
}

interface SettingsWrite {
  readonly id: 'replaceProviderSettings' | 'updateProviderSettings';
  readonly isWhole: boolean;
  readonly summary: string;
  readonly description: string;
}

function changeSettings(
  deps: SettingsRoutesDeps,
  { id, isWhole, summary, description }: SettingsWrite,
): Endpoint {
  return endpoint(id, {
    documentation: {
      tag,
      summary,
      description,
      answer: written,
      errors: [...errors, 'conflict', 'settings_refused'],
    },
    handle: async ({
      caller,
      path: { provider },
      query: { dry_run },
      body: { values },
      closed,
    }) => {
      const { organization } = caller;
      const check = createSettingsCheck(deps.askProvider, organization, closed());
      const plan: SettingsPlanner = async (record, found) => {
        const wanted = { values, isWhole, by: actorOf(caller), tenant: organization.namespace };
        const change = await planSettings(deps.schemas, found, { record, wanted });
        await check({ record, change, settings: found.settings });
        return change;
      };
      // The provider takes seconds to answer, and the write decides on a record that is read after that.
      if (!dry_run) await change(deps, caller, { provider, isPreview: true }, plan);
      return await change(deps, caller, { provider, isPreview: dry_run }, plan);
    },
  });
}

function removeSetting(deps: SettingsRoutesDeps): Endpoint {
  return endpoint('deleteProviderSetting', {
    documentation: {
      tag,
      summary: 'Remove a setting of a provider',
      description: `Rejected for a setting without which the deployed version cannot run. ${consequences}`,
      answer: written,
      errors: [...errors, 'conflict'],
    },
    handle: async ({ caller, path: { provider, setting }, query: { dry_run } }) =>
      await change(deps, caller, { provider, isPreview: dry_run }, (record, { settings }) => {
        const known = [...settings, ...record.entries].map(({ name }) => name);
        if (!known.includes(setting)) {
          throw new InvalidRequest([unknownName(['path', 'setting'], known, setting)]);
        }
        const isRequired = settings.some(({ name, isRequired: is }) => name === setting && is);
        if (isRequired && record.version !== undefined) {
          const message = `Version ${record.version} of ${provider} requires ${setting}; set another value, or deploy a version that does not require it`;
          throw new FairleadError('conflict', message);
        }
        const hide = hiddenSince(settings, record);
        return Promise.resolve({ set: [], remove: [setting], hide, by: actorOf(caller) });
      }),
  });
}

type SettingsPlanner = (record: SettingsRecord, found: VersionSettings) => ReturnType<PlanSettings>;

async function change(
  deps: SettingsRoutesDeps,
  { organization }: Pick<Caller, 'organization'>,
  { provider, isPreview }: { provider: string; isPreview: boolean },
  plan: SettingsPlanner,
): Promise<RouteAnswer> {
  const decide: PlanSettings = async (record) => {
    refuseForeign(record);
    return await plan(record, await settingsOfVersion(deps, organization, record));
  };
  const act = isPreview ? deps.providerSettings.preview : deps.providerSettings.write;
  const record = await act(organization, provider, decide);
  const body = presentSettings(record, await settingsOfVersion(deps, organization, record));
  return json(body, { headers: isPreview ? planHeader('update') : {} });
}

function refuseForeign({ provider, secret }: SettingsRecord): void {
  if (secret === undefined) return;
  const message = `The settings of ${provider} are in Secret ${secret}, which Fairlead does not write; change them there, or remove spec.settingsSecret of the Provider`;
  throw new FairleadError('conflict', message);
}

interface VersionSettings extends DeclaredSettings {
  readonly version: string;
}

/** @throws FairleadError `not_deployed` for an external provider, `build_not_found` */
async function settingsOfVersion(
  { builds }: Pick<SettingsRoutesDeps, 'builds'>,
  organization: Organization,
  { provider, version, endpoint: elsewhere }: SettingsRecord,
): Promise<VersionSettings> {
  if (elsewhere !== undefined) throw notDeployed(provider, elsewhere, 'settings');
  const build =
    version === undefined
      ? await newestBuild(builds, organization, provider)
      : await builds.get(organization, provider, jobNameOf(provider, version));
  const schema: JsonObject | undefined = build.settings;
  return { version: build.version, schema, settings: settingsIn(schema) };
}

async function newestBuild(
  builds: Pick<BuildStore, 'list'>,
  organization: Organization,
  provider: string,
): Promise<BuildRecord> {
  const all = await builds.list(organization, provider);
  const found = all.find(({ phase }) => phase === 'success');
  if (found !== undefined) return found;
  const message = `Provider ${provider} has no successful build, which would declare its settings; push its code first`;
  throw new FairleadError('build_not_found', message);
}
