// Pure. Events that fail before they are sent: nothing was done, and only another content, type or version of the provider helps.
import { Reason } from '../../../crds/conditions.ts';
import type { Resource } from '../../../crds/resource.ts';
import type { FailureCode } from '../../../domain/failures/failure-codes.ts';
import { inexactNumberIn } from '../../../lib/inexact-number.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { retiredInWords } from '../../../store/providers/type-in-force.ts';
import { versionInWords } from '../config-version.ts';
import { explainDependencies } from '../dependencies.ts';
import type { Decision, Situation } from '../situation.ts';
import { schemaInWords } from '../type/retired-type.ts';
import { explainUnresolved } from '../unresolved.ts';

/** Accepted before the version took over, or sent to the version before. No pod of the version that serves can process it. */
export function failRetiredType({
  resource,
  resolution,
  typeRetired,
}: Situation): Decision | undefined {
  const event = resource.status?.event;
  if (event === undefined || typeRetired === undefined) return undefined;
  const message = `${retiredInWords(resource.spec, typeRetired)}. Deploy a version that has the type, and retry`;
  const failure = {
    code: 'TYPE_RETIRED' satisfies FailureCode,
    message,
    reason: Reason.TypeRetired,
  };
  return { do: 'fail', event, failure, references: resolution.hash };
}

/** Only kubectl can store one: the API server keeps 64-bit integers, and a provider would get the rounded one. */
export function failInexactNumber({ resource, resolution }: Situation): Decision | undefined {
  const event = resource.status?.event;
  const message = inexactInWords(resource.spec, resolution.config);
  if (event === undefined || message === undefined) return undefined;
  const failure = {
    code: 'INVALID_CONFIG' satisfies FailureCode,
    message,
    reason: Reason.InvalidConfig,
  };
  return { do: 'fail', event, failure, references: resolution.hash };
}

/** A resource that is only observed has no event; its provider receives `adopt`. */
export function refuseInexactNumber({ resource, resolution }: Situation): Decision | undefined {
  const message = inexactInWords(resource.spec, resolution.config);
  if (message === undefined) return undefined;
  return { do: 'explain', reason: Reason.InvalidConfig, message, stalled: true };
}

function inexactInWords({ adopt }: Resource['spec'], config: JsonObject): string | undefined {
  const whole = { config, ...(adopt === undefined ? {} : { adopt: adopt as JsonObject }) };
  const path = inexactNumberIn(whole);
  if (path === undefined) return undefined;
  return `${path.join('.')}: Integers beyond 2^53 - 1 lose precision; declare a string`;
}

export function failInvalidConfig(situation: Situation): Decision | undefined {
  const { resource, resolution, violations, servedBy } = situation;
  const event = resource.status?.event;
  if (event === undefined || violations.length === 0) return undefined;
  const rules = violations
    .map(({ loc, msg }) => `${['config', ...loc].join('.')}: ${msg}`)
    .join('; ');
  const message = `${rules}${schemaInWords(servedBy)}${versionInWords(situation)}`;
  const failure = {
    code: 'INVALID_CONFIG' satisfies FailureCode,
    message,
    reason: Reason.InvalidConfig,
  };
  return { do: 'fail', event, failure, references: resolution.hash };
}

/**
 * An output that was there when the provider accepted the operation: its resource is only read, and its object may be back. The
 * operation goes on meanwhile, and is polled within its limit.
 */
export function waitForVanishedOutput(situation: Situation): Decision | undefined {
  const { resource, resolution, unready, projectName, waits, now } = situation;
  const isAccepted = resource.status?.event?.acceptedAt !== undefined;
  if (!isAccepted || resolution.unresolved.length === 0 || waits.operationMs === 0) {
    return undefined;
  }
  const reason = Reason.DependenciesNotReady;
  const message = explainUnresolved(resolution.unresolved, situation.earlierOutputs);
  const waiting = explainDependencies(unready, projectName) ?? { reason, message };
  const until = new Date(now.getTime() + waits.operationMs);
  return { do: 'explain', ...waiting, until };
}

/** The referenced resource is ready; waiting does not add an output that its provider did not return. */
export function failUnknownOutput({
  resource,
  resolution,
  earlierOutputs,
}: Situation): Decision | undefined {
  const event = resource.status?.event;
  if (event === undefined || resolution.unresolved.length === 0) return undefined;
  const message = explainUnresolved(resolution.unresolved, earlierOutputs);
  return {
    do: 'fail',
    event,
    failure: {
      code: 'UNKNOWN_OUTPUT' satisfies FailureCode,
      message,
      reason: Reason.UnknownOutput,
    },
    references: resolution.hash,
  };
}

/** A resource in flight cannot be changed, so one that waited for another schema could never be repaired. */
export function failUnusableSchema({
  resource,
  resolution,
  unusable,
}: Situation): Decision | undefined {
  const { status, spec } = resource;
  if (status?.event === undefined || unusable === undefined) return undefined;
  const type = `${spec.provider}/${spec.resource}`;
  const message = `The config cannot be checked against the schema of type ${type}: ${unusable}. Register another schema or apply another config, and retry`;
  const failure = {
    code: 'SCHEMA_UNUSABLE' satisfies FailureCode,
    message,
    reason: Reason.SchemaUnusable,
  };
  return { do: 'fail', event: status.event, failure, references: resolution.hash };
}
