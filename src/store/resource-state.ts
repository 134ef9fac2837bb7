// What a stored Resource means: its state for readers, and its record. Pure.
import { Reason } from '../crds/conditions.ts';
import type { Resource } from '../crds/resource.ts';
import { idOf } from '../domain/identity.ts';
import type { JsonObject } from '../domain/json.ts';
import { contentHash, type LifecycleState, type StoredState } from '../domain/lifecycle.ts';
import { annotation } from './kinds.ts';
import type { ResourceRecord } from './records.ts';

/**
 * A status speaks of the content it was written for. Between an apply and the first look of a reconciler it is behind
 * the spec, and the resource is `pending` whatever the status says.
 */
export function stateOf({ metadata, spec, status }: Resource): StoredState {
  if (metadata.deletionTimestamp !== undefined) return 'deleting';
  if (spec.lifecycle === 'Draft') return 'draft';
  if (status?.content !== contentHash(contentOf(spec))) return 'pending';
  return status.state;
}

export function contentOf(spec: Resource['spec']) {
  return {
    lifecycle: spec.lifecycle,
    config: spec.config as JsonObject,
    dependencies: spec.dependencies ?? [],
    retry: spec.retry ?? 0,
  };
}

function reasonOf(resource: Resource, state: StoredState): string {
  const { status } = resource;
  if (state === 'draft') return Reason.Draft;
  const current = status !== undefined && status.state === state;
  return current ? status.reason : Reason.Queued;
}

/** @returns the record as readers see it. An object being deleted has none: callers answer as if it were gone. */
export function recordOf(resource: Resource): ResourceRecord {
  const { metadata, spec, status } = resource;
  const state = stateOf(resource) as LifecycleState;
  const tuple = { provider: spec.provider, resource: spec.resource, name: spec.name };
  const createdAt = iso(metadata.creationTimestamp);
  const showsError = state === 'failed' || state === 'processing';
  return {
    ...tuple,
    id: idOf(tuple),
    projectId: spec.project,
    state,
    reason: reasonOf(resource, state),
    config: spec.config as JsonObject,
    outputs: (status?.outputs ?? {}) as JsonObject,
    tags: spec.tags === undefined || spec.tags.length === 0 ? null : spec.tags,
    error: showsError ? (status?.error ?? null) : null,
    dependencies: spec.dependencies ?? [],
    createdAt,
    updatedAt: latest(createdAt, metadata.annotations?.[annotation.updatedAt], status?.updatedAt),
  };
}

/** ISO 8601 UTC with milliseconds; Kubernetes' own times have none. */
export function iso(time: string | undefined): string {
  const parsed = new Date(time ?? 0);
  return Number.isNaN(parsed.getTime()) ? new Date(0).toISOString() : parsed.toISOString();
}

/** @returns the latest of some times, in the form of `iso` */
export function latest(...times: readonly (string | undefined)[]): string {
  return (
    times
      .filter((time) => time !== undefined)
      .map(iso)
      .sort()
      .at(-1) ?? iso(undefined)
  );
}
