// The answer of the protocol to an event, from what its handler returned.
import {
  type EventBody,
  type FailedBody,
  type LaterBody,
  maxOutputsBytes,
  type ObservedBody,
  type SucceededBody,
} from '../../domain/event.ts';
import type { SecretMask } from '../../domain/secrets/mask-text.ts';
import { type JsonObject, jsonBytes } from '../../lib/json.ts';
import { truncate } from '../../lib/text.ts';
import { asJson } from '../as-json.ts';
import { issueText } from '../failure-text.ts';
import { isRemoval } from '../migrations/event-values.ts';
import { isLater, type TemporaryFailure } from '../outcome.ts';
import type { ResourceType } from '../provider.ts';

export interface ReplyTo<Body> {
  readonly status: number;
  readonly body: Body;
  /** Seconds, for the header Retry-After. */
  readonly retryAfter?: number;
}

/** To an event. */
export type Reply = ReplyTo<SucceededBody | ObservedBody | LaterBody | FailedBody>;

const maxMessageLength = 2_048;

/** @param returned what the handler returned */
export function replyFrom(type: ResourceType, event: EventBody, returned: unknown): Reply {
  if (isLater(returned)) {
    const { seconds, message, progress, context } = returned;
    const body: LaterBody = {
      retry_after: seconds,
      ...(message === undefined ? {} : { message }),
      ...(progress === undefined ? {} : { progress }),
      ...(context === undefined ? {} : { context: asJson(context) }),
    };
    return { status: 202, body };
  }
  if (isRemoval(event)) return { status: 200, body: { outputs: {} } };
  const parsed = type.outputs.safeParse(returned);
  if (!parsed.success) return failure(422, 'invalid_outputs', issueText(parsed.error));
  return succeededReply(parsed.data as JsonObject, type.version);
}

function succeededReply(outputs: JsonObject, version: number): Reply {
  try {
    const sent = asJson(outputs);
    const bytes = jsonBytes(sent);
    if (bytes > maxOutputsBytes) return outputsTooLarge(bytes);
    return { status: 200, body: { outputs: sent, outputs_schema_version: version } };
  } catch {
    return failure(422, 'invalid_outputs', 'The outputs cannot be serialized as JSON');
  }
}

/** Fairlead would refuse the answer, or not even read it and call the handler again for the same failure. */
function outputsTooLarge(bytes: number): Reply {
  const message = `The outputs have ${bytes} bytes of JSON, of at most ${maxOutputsBytes}; return less, such as the address of what is large`;
  return failure(422, 'outputs_too_large', message);
}

/** The reply to an event whose handler ended the process. */
export function crashed(message: string): Reply {
  return failure(500, 'crashed', message);
}

/** Handlers cannot make such a reply otherwise. */
export function isCrash({ status, body }: ReplyTo<object>): boolean {
  return status === 500 && 'error' in body && (body as FailedBody).error.code === 'crashed';
}

/** The reply to an event that is to be sent again after a wait. */
export function waitReply(
  { code, seconds, scope }: Pick<TemporaryFailure, 'code' | 'seconds' | 'scope'>,
  message: string,
): Reply {
  const { status, body } = failure(429, code, message);
  // Whole seconds: a wait must not end early.
  return { status, body: { ...body, retry_scope: scope }, retryAfter: Math.ceil(seconds) };
}

export function failure(
  status: number,
  code: string,
  message: string,
): Reply & { readonly body: FailedBody } {
  const [line = ''] = message.split('\n');
  return { status, body: { error: { code, message: truncate(line, maxMessageLength) } } };
}

/** @returns the reply without secrets in the message of its failure, or of its wait */
export function maskedReply<Masked extends ReplyTo<object>>(
  reply: Masked,
  mask: SecretMask,
): Masked {
  const { error, message } = reply.body as Partial<FailedBody & LaterBody>;
  if (error !== undefined) {
    const shown = { ...error, message: mask.text(error.message) };
    return { ...reply, body: { ...reply.body, error: shown } };
  }
  if (message === undefined) return reply;
  return { ...reply, body: { ...reply.body, message: mask.text(message) } };
}
