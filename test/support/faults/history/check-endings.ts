// I2 and I8: the end state. Every commitment is ready, or failed with an earlier dead letter; then writes stop, and the
// final state equals that of an undisturbed run.
import type { Resource } from '../../../../src/crds/resource.ts';
import { canonicalJson, type JsonObject } from '../../../../src/lib/json.ts';
import { hasFailed, resourceState } from '../../../../src/store/resources/state.ts';
import { finalDeadLetters, finalResources, type History, nameOf, type Violation } from './model.ts';

export function* checkEndings(history: History): Iterable<Violation> {
  const deadLetters = finalDeadLetters(history);
  for (const [name, resource] of finalResources(history)) {
    const problem = unfinished(resource, deadLetters);
    if (problem !== undefined) yield i2(name, problem);
  }
  yield* checkDeadLettersCameFirst(history);
}

function unfinished(
  resource: Resource,
  deadLetters: ReadonlyMap<string, unknown>,
): string | undefined {
  const state = resourceState(resource);
  if (state === 'ready' || state === 'draft') return undefined;
  const { event, reason = 'never looked at' } = resource.status ?? {};
  if (state === 'pending' || !hasFailed(resource)) return `it is still ${state} (${reason})`;
  return deadLetters.has(event?.id ?? '')
    ? undefined
    : `it is ${state} without a dead letter of ${event?.id}`;
}

function* checkDeadLettersCameFirst({ versions }: History): Iterable<Violation> {
  const deadLetters = new Set<string>();
  const failed = new Map<string, string | undefined>();
  for (const version of versions) {
    const { name, uid = '' } = version.object.metadata;
    if (version.kind === 'Letter') {
      if (version.type === 'DELETED') deadLetters.delete(name);
      else deadLetters.add(name);
      continue;
    }
    const id = hasFailed(version.object) ? version.object.status?.event?.id : undefined;
    const isNews = id !== undefined && failed.get(uid) !== id && !version.gap;
    failed.set(uid, id);
    if (isNews && !deadLetters.has(id))
      yield i2(uid, `it failed before the letter of ${id} was there`);
  }
}

export function* checkQuiet({ versions, quietSince }: History): Iterable<Violation> {
  if (quietSince === undefined) return;
  for (const { at, type, kind, object } of versions) {
    if (at <= quietSince) continue;
    const message = `${type} ${Math.round(at - quietSince)} ms after everything had ended`;
    yield { invariant: 'I8', subject: `${kind} ${object.metadata.name}`, message };
  }
}

/** Returns the final state without what differs between equal runs: names stay, identities and times are removed. */
export function endStateOf(history: History): JsonObject {
  const resources = [...finalResources(history).values()];
  const live = new Set(resources.filter(hasFailed).map(({ status }) => status?.event?.id));
  // A superseded dead letter stays or goes depending on the age of others.
  const deadLetters = [...finalDeadLetters(history).values()].filter(({ metadata }) =>
    live.has(metadata.name),
  );
  return {
    resources: resources.map(masked).sort(byJson),
    deadLetters: deadLetters
      .map(({ data = {}, immutable }: (typeof deadLetters)[number] & { immutable?: boolean }) => ({
        resource: data['resource_name'] ?? '',
        type: data['event_type'] ?? '',
        error: data['error_message'] ?? '',
        immutable: immutable ?? false,
      }))
      .sort(byJson),
  };
}

function masked(resource: Resource): JsonObject {
  const { metadata, spec, status } = resource;
  const conditions = status?.conditions ?? [];
  return JSON.parse(
    JSON.stringify({
      name: nameOf(resource),
      finalizers: metadata.finalizers ?? [],
      spec: { ...spec, project: undefined },
      deleting: metadata.deletionTimestamp !== undefined,
      generation: metadata.generation,
      status: {
        ...status,
        updatedAt: undefined,
        drift: status?.drift && { ...status.drift, since: undefined },
        observation: status?.observation && {
          ...status.observation,
          request: undefined,
          at: undefined,
        },
        event: {
          ...status?.event,
          id: undefined,
          sequence: undefined,
          startedAt: undefined,
          begunAt: undefined,
          acceptedAt: undefined,
          nextAttemptAt: undefined,
          skewedAt: undefined,
          errors: status?.event?.errors?.map((each) => ({ ...each, failedAt: undefined })),
        },
        conditions: conditions.map((each) => ({ ...each, lastTransitionTime: undefined })),
      },
    }),
  ) as JsonObject;
}

function byJson(left: JsonObject, right: JsonObject): number {
  return canonicalJson(left) < canonicalJson(right) ? -1 : 1;
}

/** @param clean the end state of the same work undisturbed */
export function* checkSameEnd(history: History, clean: JsonObject): Iterable<Violation> {
  const [found, wanted] = [endStateOf(history), clean].map((each) => JSON.stringify(each, null, 1));
  if (found === wanted) return;
  const message = `it ended differently from the undisturbed run:\n${found}\ninstead of\n${wanted}`;
  yield { invariant: 'I8', subject: 'end state', message };
}

function i2(subject: string, message: string): Violation {
  return { invariant: 'I2', subject, message };
}
