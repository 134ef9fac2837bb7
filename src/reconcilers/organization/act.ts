// Performs exactly one decision about an Organization.
import { randomUUID } from 'node:crypto';
import {
  type Condition,
  type ConditionWanted,
  conditions,
  findCondition,
  Reason,
} from '../../crds/conditions.ts';
import type { Organization } from '../../crds/organization.ts';
import { defaultProjectId, projectNameOf } from '../../domain/identity.ts';
import {
  again,
  type Informer,
  type KubeClient,
  lookAgain,
  type Outcome,
  settled,
  waitUntil,
} from '../../kube/api.ts';
import { hasReason, unlessExists } from '../../kube/errors.ts';
import type { News, Recorder } from '../../kube/recorder.ts';
import type { Clock } from '../../lib/clock.ts';
import { canonicalJson, type JsonObject } from '../../lib/json.ts';
import { annotation, apiVersion, kinds, label, namespaceKind } from '../../store/kinds.ts';
import type { Decision } from './decide.ts';
import type { Guard } from './guard-kinds.ts';
import type { GuardCaches } from './guard-watch.ts';
import { namespaceLabels } from './guards.ts';
import type { Observed } from './observe.ts';
import { namespaceAnnotations, ownershipRecord } from './ownership.ts';
import { putGuards } from './put-guards.ts';

// A namespace takes a few seconds to terminate; its own watch is not worth another informer.
const namespaceGoneMs = 2_000;

export interface ActDeps {
  readonly client: KubeClient;
  readonly organizations: Pick<Informer<Organization>, 'remember'>;
  readonly guards: GuardCaches;
  readonly recorder: Pick<Recorder, 'record'>;
  readonly clock: Clock;
}

export function act(decision: Decision, observed: Observed, deps: ActDeps): Promise<Outcome> {
  const { name } = observed.organization.metadata;
  switch (decision.do) {
    case 'nothing':
      return Promise.resolve(settled);
    case 'requestNamespace':
      return requestNamespace(observed, deps);
    case 'createNamespace':
      return tolerant(() => createNamespace(name, observed, deps), deps);
    case 'repairNamespace':
      return repairNamespace(name, observed, deps);
    case 'putGuards':
      return guard(decision.guards, observed, deps);
    case 'createDefaultProject':
      return tolerant(() => createDefaultProject(name, deps), deps);
    case 'waitForNamespace':
      return Promise.resolve(waitUntil(new Date(deps.clock.now().getTime() + namespaceGoneMs)));
    case 'explain':
      return explain(decision, observed, deps);
  }
}

/** An object that exists already is not created again. The watch brings it. */
async function tolerant(create: () => Promise<unknown>, { clock }: ActDeps): Promise<Outcome> {
  return (await unlessExists(create)) ? again : lookAgain(clock);
}

/** Before the namespace: after a crash in between, a secret annotation identifies it as ours. */
async function requestNamespace({ organization }: Observed, deps: ActDeps): Promise<Outcome> {
  const { namespaceUid: _gone, ...status } = organization.status ?? {};
  await writeStatus(organization, { ...status, namespaceRequest: randomUUID() }, deps);
  return again;
}

async function repairNamespace(name: string, { organization }: Observed, { client }: ActDeps) {
  const annotations = namespaceAnnotations({ organization });
  await client.patch(
    namespaceKind,
    { name },
    { metadata: { labels: namespaceLabels(), annotations } },
  );
  return again;
}

function createNamespace(name: string, { organization }: Observed, { client }: ActDeps) {
  const { namespaceRequest = '' } = organization.status ?? {};
  return client.create(namespaceKind, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      labels: namespaceLabels(),
      annotations: {
        ...namespaceAnnotations({ organization }),
        [annotation.request]: namespaceRequest,
      },
    },
  });
}

/** A failed guard keeps a new organization from becoming ready, and does not change one that is ready. */
async function guard(
  guards: readonly Guard[],
  observed: Observed,
  deps: ActDeps,
): Promise<Outcome> {
  const { metadata, status } = observed.organization;
  try {
    await putGuards(guards, metadata.name, deps);
    return again;
  } catch (thrown) {
    const ready = findCondition(status?.conditions, 'Ready')?.status === 'True';
    if (!ready && hasReason(thrown, 'forbidden', 'invalid')) {
      const { message } = thrown;
      await explain(
        { do: 'explain', ready, reason: Reason.GuardsMissing, message },
        observed,
        deps,
      );
    }
    throw thrown;
  }
}

function createDefaultProject(namespace: string, { client }: ActDeps) {
  const projectId = defaultProjectId({ namespace });
  return client.create(kinds.project, {
    apiVersion,
    kind: kinds.project.kind,
    metadata: {
      name: projectNameOf(projectId),
      namespace,
      labels: { [label.managedBy]: 'fairlead' },
    },
    spec: { projectId, displayName: 'default', managedBy: 'platform' },
  } as Parameters<KubeClient['create']>[1]);
}

const suspended: ConditionWanted = {
  type: 'Suspended',
  status: 'True',
  reason: Reason.Suspended,
  message: 'Requests are rejected, and no events or builds start; running providers continue',
};

async function explain(
  { ready, reason, message }: Extract<Decision, { do: 'explain' }>,
  observed: Observed,
  deps: ActDeps,
): Promise<Outcome> {
  const { organization, foreign } = observed;
  const { metadata, status } = organization;
  const { name, generation = 0 } = metadata;
  const wanted: ConditionWanted[] = [
    { type: 'Ready', status: ready ? 'True' : 'False', reason, message },
  ];
  if (!ready) wanted.push({ type: 'Stalled', status: 'True', reason, message });
  if (organization.spec.suspended === true) wanted.push(suspended);
  if (foreign.length > 0) wanted.push(unknownGuards(foreign));
  const next = {
    namespace: name,
    ...ownershipRecord(observed),
    observedGeneration: generation,
    conditions: conditions(wanted, {
      previous: status?.conditions ?? [],
      generation,
      now: deps.clock.now(),
    }),
  };
  if (canonicalJson(next as JsonObject) === canonicalJson((status ?? null) as JsonObject | null))
    return settled;
  await writeStatus(organization, next, deps);
  for (const news of newsOf(status?.conditions ?? [], wanted)) {
    deps.recorder.record({ kind: kinds.organization, metadata }, news);
  }
  return settled;
}

/** Policies and bindings are additive: a foreign one may allow what ours deny. */
function unknownGuards(foreign: readonly string[]): ConditionWanted {
  const message = `Not created by Fairlead; may grant more access than Fairlead allows: ${foreign.join(', ')}`;
  return { type: 'ForeignGuards', status: 'True', reason: Reason.ForeignGuards, message };
}

async function writeStatus(
  { metadata }: Organization,
  status: NonNullable<Organization['status']>,
  { client, organizations }: ActDeps,
): Promise<void> {
  const { name, uid = '', resourceVersion = '' } = metadata;
  const written = await client.replaceStatus<Organization>(kinds.organization, {
    apiVersion,
    kind: kinds.organization.kind,
    metadata: { name, uid, resourceVersion },
    status,
  });
  organizations.remember(written);
}

/** @returns the news to record: new conditions, and the end of a suspension */
function newsOf(before: readonly Condition[], wanted: readonly ConditionWanted[]): readonly News[] {
  const fresh = wanted.filter(
    ({ type, reason }) => type !== 'Stalled' && findCondition(before, type)?.reason !== reason,
  );
  const wasSuspended = findCondition(before, 'Suspended') !== undefined;
  const isSuspended = wanted.includes(suspended);
  const message = 'The organization is no longer suspended';
  const resumed: News[] =
    wasSuspended && !isSuspended ? [{ type: 'Normal', reason: Reason.Resumed, message }] : [];
  const told = fresh.map(
    ({ type, status, reason, message: said }): News => ({
      type: status === 'True' && type !== 'ForeignGuards' ? 'Normal' : 'Warning',
      reason,
      message: said,
    }),
  );
  return [...told, ...resumed];
}
