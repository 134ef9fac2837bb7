// Requests about the object of a resource: that it is observed now, and that it is made what the config declares. Both are written
// into exactly the version that was read; reconcilers do the rest.
import type { Resource } from '../../crds/resource.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type Organization, type ResourceAddress, slashed } from '../../domain/identity.ts';
import type { KubeClient } from '../../kube/api.ts';
import type { Clock } from '../../lib/clock.ts';
import type { CorrectionOptions, ObservationOptions } from '../interfaces.ts';
import { annotation, kinds } from '../kinds.ts';
import type { ProviderGate } from '../providers/gate.ts';
import { annotate, maxRounds, put } from '../put.ts';
import type { ResourceRecord } from '../records.ts';
import { find, isVisible, resourceNotFound } from './lookup.ts';
import { isReadOnly } from './options.ts';
import { requirePermitted } from './precondition.ts';
import { resourceRecord, resourceState } from './state.ts';
import { traceOf } from './trace.ts';

interface ObservationRequestDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly providers: Pick<ProviderGate, 'requireOpen'>;
}

export async function requestObservation(
  { client }: ObservationRequestDeps,
  organization: Organization,
  address: ResourceAddress,
  { scope, request, requireObservable }: ObservationOptions,
): Promise<ResourceRecord> {
  return await inRounds(address, async () => {
    const found = await visible(client, organization, address, scope);
    const refusal = unobservable(found) ?? unsettled(found);
    if (refusal !== undefined) throw refusal;
    await requireObservable(found.spec);
    return await annotate(client, kinds.resource, found, { [annotation.observe]: request });
  });
}

export async function requestCorrection(
  deps: ObservationRequestDeps,
  organization: Organization,
  address: ResourceAddress,
  options: CorrectionOptions,
): Promise<ResourceRecord> {
  const { client, providers } = deps;
  return await inRounds(address, async () => {
    const found = await visible(client, organization, address, options.scope);
    const refusal = uncorrectable(found);
    if (refusal !== undefined) throw refusal;
    if (!isCorrected(found)) {
      if (found.status?.drift === undefined) await options.requireObservable(found.spec);
      // A correction that is under way needs no permission: the response to an earlier request may have been lost.
      return found;
    }
    requirePermitted(options.precondition, found, address.text);
    await providers.requireOpen(organization, found.spec.provider);
    return await put(client, kinds.resource, corrected(found, deps, options));
  });
}

/** @param write returns undefined after a lost race */
async function inRounds(
  address: ResourceAddress,
  write: () => Promise<Resource | undefined>,
): Promise<ResourceRecord> {
  for (let round = 0; round < maxRounds; round += 1) {
    const written = await write();
    if (written !== undefined) return resourceRecord(written);
  }
  const message = `Another client changes resource ${address.text} at the same time; try again`;
  throw new FairleadError('conflict', message);
}

async function visible(
  client: KubeClient,
  organization: Organization,
  address: ResourceAddress,
  scope: string | undefined,
): Promise<Resource> {
  const found = await find(client, organization, address);
  if (found === undefined || !isVisible(found, { scope })) throw resourceNotFound(address);
  return found;
}

/** @returns why there is nothing to observe; undefined when there may be an object */
export function unobservable(resource: Resource): FairleadError | undefined {
  const { spec, status } = resource;
  const name = slashed(spec);
  if (resourceState(resource) === 'draft') {
    const message = `Resource ${name} is a draft, so it has no object; apply it as pending first`;
    return new FairleadError('not_observable', message);
  }
  // An object that is only observed may be looked for at any time.
  if (status?.appliedConfig !== undefined || isReadOnly(spec)) return undefined;
  const message = `Resource ${name} has never succeeded, so no object of it is known; wait until it is ready, or repair what it fails of`;
  return new FairleadError('not_observable', message);
}

/** While an event is under way, and after one has failed, it is not known what the object should be like. */
export function unsettled(resource: Resource): FairleadError | undefined {
  const state = resourceState(resource);
  if (state === 'ready' || isReadOnly(resource.spec)) return undefined;
  const message = `Resource ${slashed(resource.spec)} is ${state}; its object is observed when it is ready`;
  return new FairleadError('not_observable', message);
}

/** @returns why the object cannot be corrected */
export function uncorrectable(resource: Resource): FairleadError | undefined {
  const { spec } = resource;
  if (!isReadOnly(spec)) return unobservable(resource);
  const message = `Resource ${slashed(spec)} is only observed, so Fairlead changes nothing of its object; change the object, or apply the resource with management: managed`;
  return new FairleadError('conflict', message);
}

/** Returns whether a correction sends an event: in any other state, one is under way or has failed. */
export function isCorrected(resource: Resource): boolean {
  return resource.status?.drift !== undefined && resourceState(resource) === 'ready';
}

/** As an apply of the same content after a failure: a raised counter is a new generation, so a new event. */
function corrected(
  found: Resource,
  { clock }: ObservationRequestDeps,
  { traceparent }: CorrectionOptions,
): Resource {
  const { metadata } = found;
  const spec = { ...found.spec, retry: (found.spec.retry ?? 0) + 1 };
  const annotations = {
    ...metadata.annotations,
    [annotation.updatedAt]: clock.now().toISOString(),
    ...(traceparent === undefined ? {} : { [annotation.traceparent]: traceOf(traceparent, spec) }),
  };
  return { ...found, metadata: { ...metadata, annotations }, spec };
}
