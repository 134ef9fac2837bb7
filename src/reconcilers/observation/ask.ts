// Asks a provider what an object is like. It only reads, so there is no claim, no attempt and no sequence of its own: an observation may
// be lost or doubled without harm.
import { randomUUID } from 'node:crypto';
import type { Resource } from '../../crds/resource.ts';
import { projectIdOf } from '../../domain/identity.ts';
import { eventSecrets } from '../../domain/secrets/resource-secrets.ts';
import { firstTypeVersion } from '../../domain/type-version.ts';
import type { Answer, OutgoingEvent } from '../../events/protocol.ts';
import type { JsonObject } from '../../lib/json.ts';
import { recordedSecretsOf } from '../../store/resources/recorded-secrets.ts';
import type { ProcessEnds } from '../crashes/process-ends.ts';
import type { DispatchWithin, Endpoints } from '../endpoints.ts';

interface Question {
  readonly resource: Resource;
  readonly organizationId: string;
  /** The config that the object is compared with. */
  readonly config: JsonObject;
  readonly schemaVersion: number;
  /** How long the handler may run, in milliseconds; undefined: the time of one delivery. */
  readonly limitMs?: number | undefined;
}

export interface AskDeps {
  readonly endpoints: Pick<Endpoints, 'find'> & Partial<Pick<Endpoints, 'podAt'>>;
  readonly processEnds: Pick<ProcessEnds, 'enter'>;
  readonly dispatch: DispatchWithin;
}

/** @returns the answer; undefined when no process of the provider is ready */
export async function askProvider(
  question: Question,
  { endpoints, processEnds, dispatch }: AskDeps,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const { metadata, spec } = question.resource;
  const { namespace = '' } = metadata;
  const url = endpoints.find(namespace, spec.provider);
  if (url === undefined) return undefined;
  // An event that is in the process when it ends is not the only one there.
  const presence = processEnds.enter(
    endpoints.podAt?.({ namespace, provider: spec.provider, url }),
  );
  try {
    const target = { url, namespace, limitMs: question.limitMs };
    return await dispatch(observeEvent(question), target, signal);
  } finally {
    presence.leave();
  }
}

function observeEvent({
  resource,
  organizationId,
  config,
  schemaVersion,
}: Question): OutgoingEvent {
  const { metadata, spec, status } = resource;
  const { appliedConfig, appliedTypeVersion = firstTypeVersion } = status ?? {};
  return {
    id: `obs-${randomUUID()}`,
    type: 'OBSERVE',
    organizationId,
    projectId: projectIdOf(resource),
    provider: spec.provider,
    resource: spec.resource,
    name: spec.name,
    config,
    schemaVersion,
    previousConfig: (appliedConfig as JsonObject | undefined) ?? null,
    previousSchemaVersion: appliedConfig === undefined ? null : appliedTypeVersion,
    outputs: (status?.outputs as JsonObject | undefined) ?? {},
    outputsSchemaVersion: status?.outputsTypeVersion ?? firstTypeVersion,
    attempt: 1,
    sequence: status?.event?.sequence ?? 1,
    generation: metadata.generation ?? 1,
    context: null,
    adopt: (spec.adopt as JsonObject | undefined) ?? null,
    secrets: eventSecrets(recordedSecretsOf(resource)),
  };
}
