// The answer of the protocol to an OBSERVE, from what the handler returned. Only `gone()` becomes `exists: false`.
import type { z } from 'zod';
import {
  type EventBody,
  maxAnswerBytes,
  maxOutputsBytes,
  type ObservedBody,
} from '../../domain/event.ts';
import { isJsonObject, type JsonObject, jsonBytes } from '../../lib/json.ts';
import type { AnyObject } from '../call.ts';
import { issueText } from '../failure-text.ts';
import { declaredConfig } from '../migrations/event-values.ts';
import { isLater, TerminalFailure } from '../outcome.ts';
import type { ResourceType } from '../provider.ts';
import { isGone } from './results.ts';

interface ReturnedObject {
  readonly config: AnyObject;
  readonly outputs: AnyObject;
}

/**
 * @returns what identifies an imported object, parsed by its schema; null for one that Fairlead created
 * @throws TerminalFailure `invalid_adopt` when it does not fit
 */
export function adoptedObject({ adopt }: ResourceType, event: EventBody): AnyObject | null {
  const given = event.adopt ?? null;
  if (given === null || adopt === undefined) return given;
  const parsed = adopt.safeParse(given);
  if (parsed.success) return parsed.data as AnyObject;
  throw new TerminalFailure('invalid_adopt', issueText(parsed.error));
}

/**
 * @param returned what `observe` returned
 * @throws TerminalFailure when it is no observation
 * @throws Error when it is a `later`
 */
export function observedBody(
  type: ResourceType,
  event: EventBody,
  returned: unknown,
): ObservedBody {
  if (isLater(returned)) {
    throw new Error(
      'observe returned later, and an observation has no later end: return what exists now, or throw an error',
    );
  }
  if (isGone(returned)) return { exists: false };
  if (!isObservation(returned)) {
    const rule = 'observe must return gone(), or an object with the objects config and outputs';
    throw new TerminalFailure('invalid_observation', rule);
  }
  const declared = declaredConfig(type, event);
  return fittingAnswer({
    exists: true,
    config: sentValue('config', returned.config),
    outputs: sentValue('outputs', fittingOutputs(type.outputs, returned.outputs)),
    schema_version: type.version,
    outputs_schema_version: type.version,
    ...(declared === undefined ? {} : { declared: sentValue('config', declared) }),
  });
}

/** Fairlead does not read a larger answer, which would look like a provider that is broken. */
function fittingAnswer(body: ObservedBody): ObservedBody {
  const bytes = jsonBytes(body);
  if (bytes <= maxAnswerBytes) return body;
  throw new TerminalFailure(
    'outputs_too_large',
    `The observation has ${bytes} bytes of JSON, of at most ${maxAnswerBytes}; leave out what is large`,
  );
}

function isObservation(value: unknown): value is ReturnedObject {
  return isJsonObject(value) && isJsonObject(value['config']) && isJsonObject(value['outputs']);
}

/** Outputs may be missing. Given ones must fit, because users of references get them. */
function fittingOutputs(schema: z.ZodType, outputs: AnyObject): AnyObject {
  const parsed = schema.safeParse(outputs);
  if (parsed.success) return parsed.data as AnyObject;
  const isMissing = ({ path }: z.core.$ZodIssue) =>
    path.length === 1 && outputs[path[0] as never] === undefined;
  if (!parsed.error.issues.every(isMissing)) {
    throw new TerminalFailure('invalid_outputs', issueText(parsed.error));
  }
  // Only objects with fields miss some.
  const { shape = {}, def } = schema as Partial<z.ZodObject>;
  const fitted = Object.entries(outputs).flatMap(([name, value]) => {
    const own = Object.hasOwn(shape, name) ? shape[name] : def?.catchall;
    const field = own as z.ZodType | undefined;
    return field === undefined || value === undefined ? [] : [[name, field.parse(value)] as const];
  });
  return Object.fromEntries(fitted);
}

function sentValue(what: 'config' | 'outputs', value: AnyObject): JsonObject {
  const sent = toJson(what, value);
  const bytes = jsonBytes(sent);
  if (bytes <= maxOutputsBytes) return sent;
  throw new TerminalFailure(
    'outputs_too_large',
    `The observed ${what} have ${bytes} bytes of JSON, of at most ${maxOutputsBytes}; leave out what is large`,
  );
}

function toJson(what: string, value: AnyObject): JsonObject {
  try {
    return JSON.parse(JSON.stringify(value)) as JsonObject;
  } catch {
    const message = `The observed ${what} cannot be serialized as JSON`;
    throw new TerminalFailure('invalid_observation', message);
  }
}
