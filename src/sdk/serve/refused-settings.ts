// Tells settings that no longer work, such as a revoked credential, from events that fail: after equal failures of several resources,
// `check` of the provider decides. While it refuses, events wait, and spend no attempt.
import { type EventBody, settingsRefused } from '../../domain/event.ts';
import type { HandlerLog } from '../call.ts';
import { withoutFolder } from '../crash/describe.ts';
import { type ContextMask, contextMask } from '../logs/context-mask.ts';
import { maskedLog } from '../logs/log.ts';
import { maskedWork } from '../logs/printed.ts';
import type { Provider } from '../provider.ts';
import { settingSecrets, withoutSettings } from '../settings.ts';
import { checkSettings, type Lifetime, problemLine } from './lifetime.ts';
import { type Reply, waitReply } from './reply.ts';

interface RefusedSettingsOptions {
  /** The settings, as people gave them. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly log: HandlerLog;
  readonly codeFolder: string;
  readonly lifetime: Pick<Lifetime, 'settings'>;
  /** Aborted when the process stops. */
  readonly signal: AbortSignal;
}

/** @returns the reply to an event; one that asks everything to wait, while the settings do not work */
type JudgeReply = (event: EventBody, reply: Reply) => Promise<Reply>;

/** Fewer may have a cause of their own. */
const minResources = 3;
/** More different failures are none that the settings explain. */
const maxFailures = 50;
/** The answer to the event waits for it. */
const checkMs = 5_000;
/** New settings replace the process; those that work again are found by one event that tries. */
const waitSeconds = 30;

export function judgeSettings(provider: Provider, options: RefusedSettingsOptions): JudgeReply {
  const mask = contextMask(provider, { settings: settingSecrets(provider, options.given) });
  /** The resources that failed since the last success, by failure. */
  const failures = new Map<string, Set<string>>();
  let asking: Promise<string | undefined> | undefined;

  /** @returns why `check` refuses; undefined when it does not, or does not say so in time */
  async function refusal(): Promise<string | undefined> {
    asking ??= askCheck(provider, options, mask).finally(() => {
      asking = undefined;
    });
    return await asking;
  }

  /** @returns whether enough resources have failed in the same way */
  function isFrequent(failure: string, event: EventBody): boolean {
    const { organization_id: organization, resource, name } = event;
    const resources = failures.get(failure) ?? new Set();
    if (failures.size < maxFailures) failures.set(failure, resources);
    if (resources.size < minResources) resources.add(`${organization}/${resource}/${name}`);
    return resources.size === minResources;
  }

  return async (event, reply) => {
    if (provider.check === undefined || event.event_type === 'OBSERVE') return reply;
    if (reply.status === 200) failures.clear();
    const failure = failureKey(event, reply);
    if (failure === undefined || !isFrequent(failure, event)) return reply;
    const why = await refusal();
    if (why === undefined) {
      failures.delete(failure);
      return reply;
    }
    return waitReply({ code: settingsRefused, seconds: waitSeconds, scope: 'provider' }, why);
  };
}

/** @returns what equal failures have in common; undefined for a reply that the handler decided on */
function failureKey({ name }: EventBody, { body }: Reply): string | undefined {
  if (!('error' in body) || body.error.code !== 'handler_error') return undefined;
  return body.error.message.replaceAll(name, '').replace(/\d+/g, '');
}

async function askCheck(
  provider: Provider,
  { given, log, codeFolder, lifetime: { settings }, signal }: RefusedSettingsOptions,
  mask: ContextMask,
): Promise<string | undefined> {
  const limit = AbortSignal.timeout(checkMs);
  const call = {
    settings,
    log: maskedLog(log, mask),
    signal: AbortSignal.any([signal, limit]),
  };
  try {
    await maskedWork(mask, () => checkSettings(provider, call));
    return undefined;
  } catch (thrown) {
    if (call.signal.aborted) return undefined;
    return withoutFolder(withoutSettings(provider, given, problemLine(thrown)), codeFolder);
  }
}
