// Answers the requests of Fairlead besides events: a config in the newest form, whether settings would work, which objects exist, and
// what the rules of a type say. They change nothing.
import {
  type CheckBody,
  type ListBody,
  type MigrateBody,
  type MigratedBody,
  migrationFailed,
  type PlanBody,
  requestTypes,
  settingsRefused,
} from '../../domain/event.ts';
import type { AnyObject, HandlerLog } from '../call.ts';
import { withoutFolder } from '../crash/describe.ts';
import { type ContextMask, contextMask } from '../logs/context-mask.ts';
import { migratedConfig } from '../migrations/migrate.ts';
import { listPage } from '../observation/list.ts';
import { isTerminalFailure } from '../outcome.ts';
import { plannedBody } from '../planning/reply.ts';
import type { Provider } from '../provider.ts';
import {
  declaredSettings,
  parseSettings,
  settingSecrets,
  settingValues,
  withoutSettings,
} from '../settings.ts';
import { checkSettings, problemLine } from './lifetime.ts';
import { failure, type Reply, type ReplyTo } from './reply.ts';
import { thrownReply } from './thrown-reply.ts';

export type RequestBody = MigrateBody | CheckBody | ListBody | PlanBody;

export interface RequestSurroundings {
  /** The settings in force, as people gave them. */
  readonly given: AnyObject;
  /** The same, parsed. */
  readonly settings: AnyObject;
  /** The result of `start` of the provider. */
  readonly started: AnyObject;
  readonly log: HandlerLog;
  readonly signal: AbortSignal;
  readonly codeFolder: string;
  /** Hides the secrets of the request in a text. */
  readonly shown?: (text: string) => string;
}

/** @param settings the secrets of those in force */
export function requestMask(
  provider: Provider,
  body: RequestBody,
  settings: readonly string[],
): ContextMask {
  if (body.event_type === 'LIST') return contextMask(provider, { settings });
  if (body.event_type === 'MIGRATE') return contextMask(provider, { settings, body });
  if (body.event_type === 'PLAN') {
    const { resource } = body;
    const ofMembers = body.members.flatMap((member) =>
      contextMask(provider, { settings: [], body: { ...member, resource } }).secrets(),
    );
    return contextMask(provider, { settings: [...settings, ...ofMembers] });
  }
  const values = settingValues(declaredSettings(provider), new Map(Object.entries(body.settings)));
  const given = settingSecrets(provider, values);
  return contextMask(provider, { settings: [...settings, ...given] });
}

export function isRequest(body: { readonly event_type: string }): body is RequestBody {
  return requestTypes.some((type) => type === body.event_type);
}

/** @returns the response of the protocol; never throws */
export async function answerRequest(
  provider: Provider,
  body: RequestBody,
  surroundings: RequestSurroundings,
): Promise<ReplyTo<object>> {
  switch (body.event_type) {
    case 'MIGRATE':
      return migrateReply(provider, body, surroundings);
    case 'CHECK':
      return await checkGivenSettings(provider, body, surroundings);
    case 'LIST':
      return await listExisting(provider, body, surroundings);
    case 'PLAN':
      return await planConfigs(provider, body, surroundings);
  }
}

async function planConfigs(
  { types }: Provider,
  body: PlanBody,
  { codeFolder, shown: masked = (text) => text, ...surroundings }: RequestSurroundings,
): Promise<ReplyTo<object>> {
  const type = types.get(body.resource);
  if (type === undefined) return noType(body.resource);
  if (type.plan === undefined) {
    return failure(422, 'not_plannable', `Type ${type.name} has no handler \`plan\``);
  }
  const shown = (text: string) => masked(withoutFolder(text, codeFolder));
  return { status: 200, body: await plannedBody(type, body, { ...surroundings, shown }) };
}

function migrateReply(
  { types }: Provider,
  { resource, schema_version: version, config }: MigrateBody,
  { codeFolder }: RequestSurroundings,
): ReplyTo<MigratedBody> | Reply {
  const type = types.get(resource);
  if (type === undefined) return noType(resource);
  try {
    const migrated = migratedConfig(type, { version, config });
    const sent = JSON.parse(JSON.stringify(migrated)) as MigratedBody['config'];
    return { status: 200, body: { config: sent, schema_version: type.version } };
  } catch (thrown) {
    // Anything else that is thrown is a value that JSON cannot represent.
    const said = isTerminalFailure(thrown)
      ? thrown.message
      : `The migrated config is not JSON: ${problemLine(thrown)}`;
    return failure(422, migrationFailed, withoutFolder(said, codeFolder));
  }
}

function noType(resource: string): Reply {
  return failure(404, 'unknown_type', `This provider has no type ${resource}`);
}

async function listExisting(
  { types }: Provider,
  body: ListBody,
  surroundings: RequestSurroundings,
): Promise<ReplyTo<object>> {
  const type = types.get(body.resource);
  if (type === undefined) return noType(body.resource);
  try {
    return { status: 200, body: await listPage(type, body, surroundings) };
  } catch (thrown) {
    return thrownReply(thrown, surroundings, 'The handler list failed');
  }
}

async function checkGivenSettings(
  provider: Provider,
  { settings, unchanged }: CheckBody,
  { given: present, log, signal, codeFolder }: RequestSurroundings,
): Promise<ReplyTo<object>> {
  const kept = Object.entries(present).filter(([name]) => unchanged.includes(name));
  const texts = new Map(Object.entries(settings));
  const values = {
    ...settingValues(declaredSettings(provider), texts),
    ...Object.fromEntries(kept),
  };
  try {
    const parsed = await parseSettings(provider, values);
    await checkSettings(provider, { settings: parsed, log, signal });
    return { status: 200, body: {} };
  } catch (thrown) {
    const said = withoutFolder(withoutSettings(provider, values, problemLine(thrown)), codeFolder);
    return failure(422, settingsRefused, said);
  }
}
