// Requests to providers besides events: headers of a request, and the meaning of its answer.
import {
  type AskedType,
  cloudRequestType,
  migrationFailed,
  settingsRefused,
} from '../domain/event.ts';
import type { ProviderReply, ProviderRequest } from '../domain/providers/provider-request.ts';
import { betweenSteps } from '../lib/turns.ts';
import { interpret, jsonObjectIn, type RawAnswer } from './answers.ts';
import { valueProblem } from './values.ts';

/** A request with its identity. Each is sent under a new one: nothing depends on whether it arrived before. */
export interface OutgoingRequest {
  readonly id: string;
  readonly organizationId: string;
  readonly request: ProviderRequest;
}

export function requestBody({ id, organizationId, request }: OutgoingRequest): object {
  return { event_id: id, organization_id: organizationId, ...request };
}

export function requestHeaders(
  { id, request }: OutgoingRequest,
  now: Date,
): Record<string, string> {
  const { provider } = request;
  return {
    'content-type': 'application/json',
    'ce-specversion': '1.0',
    'ce-id': id,
    'ce-type': cloudRequestType[request.event_type],
    'ce-source': '/fairlead',
    'ce-subject': 'resource' in request ? `${provider}/${request.resource}` : provider,
    'ce-time': now.toISOString(),
    'ce-datacontenttype': 'application/json',
  };
}

/** The code with which a provider refuses, by the kind of request; undefined: any. */
const refusals: Readonly<Record<AskedType, string | undefined>> = {
  MIGRATE: migrationFailed,
  CHECK: settingsRefused,
  LIST: undefined,
  OBSERVE: undefined,
  PLAN: undefined,
};

/** Codes with which an SDK refuses what it does not know, or what its provider has no handler for. */
const unknownRequests: readonly string[] = [
  'unknown_type',
  'not_an_event',
  'not_observable',
  'not_listable',
  'not_plannable',
];

export async function replyIn(raw: RawAnswer, type: AskedType, now: Date): Promise<ProviderReply> {
  const { status } = raw;
  if (status >= 200 && status < 300 && status !== 202) {
    const body = jsonObjectIn(raw.body) ?? {};
    await betweenSteps();
    const problem = valueProblem(body);
    if (problem === undefined) return { kind: 'done', body };
    return { kind: 'unavailable', message: `The answer of the provider contains ${problem}` };
  }
  const answer = interpret(raw, { deleting: true, now });
  if (answer.kind !== 'failed') {
    return { kind: 'unavailable', message: `The provider answered ${status}` };
  }
  const { terminal, code, message } = answer;
  if (!terminal) return { kind: 'unavailable', code, message };
  const isRefused = status === 422 && code === (refusals[type] ?? code);
  return isRefused && !unknownRequests.includes(code)
    ? { kind: 'refused', message }
    : { kind: 'unknown' };
}
