// Asks the authors of types for their rules about the contents of an apply, with one request for all contents of a type. Rules never
// stand in the way of an apply when they cannot be asked: the event decides then, and a warning says so.

import type { Violation } from '../../domain/errors.ts';
import type { RefusalBody } from '../../domain/event.ts';
import { type Organization, type ResourceTuple, slashed, typeName } from '../../domain/identity.ts';
import type { AskProvider } from '../../domain/providers/provider-request.ts';
import { createSecretMask, type SecretMask } from '../../domain/secrets/mask-text.ts';
import {
  nothingRecorded,
  secretTexts,
  withoutSecrets,
} from '../../domain/secrets/resource-secrets.ts';
import type { Clock } from '../../lib/clock.ts';
import { dottedPointer, type JsonObject, pointerNames } from '../../lib/json.ts';
import { betweenSteps, inTimeSlices } from '../../lib/turns.ts';
import type {
  AuthorAnswer,
  DefinitionStore,
  KnownOutputs,
  PlannedContent,
} from '../../store/interfaces.ts';
import type { DefinitionRecord } from '../../store/records.ts';
import { type MemberAnswer, stepsTo } from './answer.ts';
import { createPlanSender, type PlanReply } from './ask.ts';
import { type AskedContent, askedContent, inRequests } from './request.ts';

interface AuthorRulesDeps {
  readonly askProvider: AskProvider;
  readonly definitions: Pick<DefinitionStore, 'find' | 'schemasOf'>;
  /** @returns the text without what looks like a credential */
  readonly maskCredentials: (text: string) => Promise<string>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly observer: RulesObserver;
}

interface UnappliedRules {
  readonly organization: Organization;
  readonly provider: string;
  readonly type: string;
  /** `no_answer`: the provider could not be asked, or answered nothing about the content. */
  readonly reason: 'no_process' | 'no_answer' | 'failed';
}

/** Receives each content to which rules were not applied. Must not throw. */
export type RulesObserver = (unapplied: UnappliedRules) => void;

interface AskedRules {
  readonly organization: Organization;
  readonly contents: readonly PlannedContent[];
  /** Aborted when nobody waits for the answer. */
  readonly signal: AbortSignal;
  /** Receives what is accepted without its rules. */
  readonly warn: (about: ResourceTuple, sentence: string) => void;
}

/** @returns an answer for each content, in their order; undefined for one without rules, and where they could not be asked */
export type AuthorRules = (asked: AskedRules) => Promise<readonly (AuthorAnswer | undefined)[]>;

export function createAuthorRules({ definitions, ...deps }: AuthorRulesDeps): AuthorRules {
  const ask = createPlanSender(deps);

  /** Finds the secrets with the first text, and once for a content: a config may have as many secrets as refusals. */
  function maskOf(about: AskedAbout): Pick<SecretMask, 'text'> {
    let made: SecretMask | undefined;
    const mask = () => (made ??= createSecretMask(secretsOf(about)));
    return { text: (text) => mask().text(text) };
  }

  function secretsOf({ content, received, organization }: AskedAbout): readonly string[] {
    const { config, applied, secrets = nothingRecorded, tuple } = content;
    const stored = { config, outputs: applied?.outputs ?? {}, secrets };
    return secretTexts(stored, definitions.schemasOf(organization, tuple), received);
  }

  /** @returns a sentence of a provider as its reader may see it */
  async function shown(sentence: string, mask: Pick<SecretMask, 'text'>): Promise<string> {
    return await deps.maskCredentials(mask.text(sentence));
  }

  async function authorAnswer(
    { refusals, replaces, outputs }: Extract<MemberAnswer, { kind: 'rules' }>,
    about: AskedAbout,
  ): Promise<AuthorAnswer> {
    const { content, type } = about;
    const violations: Violation[] = [];
    const mask = maskOf(about);
    for (const { path, message } of refusals) {
      const said = { path, message: await shown(message, mask) };
      violations.push(violation(said, content, type));
    }
    // Nothing has to be replaced where there is no object.
    const isChange = content.applied !== undefined;
    const places = isChange ? replaces.map(pointerNames) : [];
    return { refusals: violations, replaces: places, outputs: outputs && known(outputs, about) };
  }

  function known(all: JsonObject, { content, received, organization }: AskedAbout): KnownOutputs {
    const { declared: config, config: appliedConfig, tuple, secrets = nothingRecorded } = content;
    const recorded = { ...secrets, appliedConfig, received: received.places };
    const schemas = definitions.schemasOf(organization, tuple);
    const { outputs } = withoutSecrets({ config, outputs: all, secrets: recorded }, schemas);
    const shownOutputs = createSecretMask(received.texts).value(outputs) as JsonObject;
    return { all, shown: shownOutputs };
  }

  async function judged(
    answer: MemberAnswer | undefined,
    about: AskedAbout,
    warn: AskedRules['warn'],
  ): Promise<AuthorAnswer | undefined> {
    if (answer?.kind === 'rules') return await authorAnswer(answer, about);
    const { tuple } = about.content;
    if (answer !== undefined) {
      const { message, isOwn = false } = answer;
      warn(tuple, unapplied(tuple, isOwn ? message : await shown(message, maskOf(about))));
    }
    return undefined;
  }

  return async ({ organization, contents, signal, warn }) => {
    const answers = contents.map((): AuthorAnswer | undefined => undefined);
    const requests = await requestsFor(definitions, organization, contents);
    await Promise.all(
      requests.map(async ({ type, asked }) => {
        const reply = await ask({ organization, type, asked, signal });
        for (const [index, each] of asked.entries()) {
          await betweenSteps();
          const about = { ...each, type, organization };
          const answer = memberReply(reply, index);
          // A caller who is gone got no answer, whatever the provider does.
          if (answer?.kind !== 'rules' && !signal.aborted) {
            const { provider, resource } = type;
            deps.observer({ organization, provider, type: resource, reason: reasonOf(reply) });
          }
          answers[each.at] = await judged(answer, about, warn);
        }
      }),
    );
    return answers;
  };
}

interface AskedAbout extends AskedContent {
  readonly type: DefinitionRecord;
  readonly organization: Organization;
}

function reasonOf(reply: PlanReply): UnappliedRules['reason'] {
  if (reply === undefined) return 'no_process';
  return 'failed' in reply ? 'no_answer' : 'failed';
}

function memberReply(reply: PlanReply, index: number): MemberAnswer | undefined {
  if (reply === undefined || !('failed' in reply)) return reply?.[index];
  return { kind: 'failed', message: reply.failed, isOwn: true };
}

interface TypeRequest {
  readonly type: DefinitionRecord;
  readonly asked: readonly AskedContent[];
}

/** @returns what is asked about the types that have rules */
async function requestsFor(
  definitions: AuthorRulesDeps['definitions'],
  organization: Organization,
  contents: readonly PlannedContent[],
): Promise<readonly TypeRequest[]> {
  const types = new Map<string, { type: DefinitionRecord | undefined; asked: AskedContent[] }>();
  for (const { tuple } of contents) {
    const { provider, resource } = tuple;
    if (types.has(typeName(tuple))) continue;
    const type = await definitions.find(organization, provider, resource);
    types.set(typeName(tuple), { type, asked: [] });
  }
  await inTimeSlices(contents.entries(), ([at, content]) => {
    const { type, asked } = types.get(typeName(content.tuple)) ?? {};
    if (type?.plan === true) asked?.push(askedContent(definitions, organization, { content, at }));
  });
  return [...types.values()].flatMap(({ type, asked }) =>
    type === undefined ? [] : inRequests(asked).map((each) => ({ type, asked: each })),
  );
}

function unapplied(tuple: ResourceTuple, why: string): string {
  const rules = `The rules of type ${typeName(tuple)} were not applied to ${slashed(tuple)}`;
  return `${rules}: ${why}; its event decides`;
}

/** The rules of a provider are about the newest version of a type: places of an earlier one are others. */
function violation(
  { path, message }: RefusalBody,
  { declared, typeVersion }: PlannedContent,
  type: DefinitionRecord,
): Violation {
  const loc = ['body', 'config'];
  if (typeVersion === type.typeVersion) {
    return { loc: [...loc, ...stepsTo(path, declared)], msg: message, type: 'value_error' };
  }
  const msg = path === '' ? message : `${dottedPointer(path)}: ${message}`;
  return { loc, msg, type: 'value_error' };
}
