// Pure. docs/errors.md: every error code, every code of a failed delivery and every reason of a condition.

import { type ErrorCode, errors } from '../src/api/errors.ts';
import { conditionTypes } from '../src/crds/condition-types.ts';
import { Reason } from '../src/crds/conditions.ts';
import { type ReasonDescription, reasons } from '../src/crds/reasons.ts';
import { type FailureDescription, failureCodes } from '../src/domain/failures/failure-codes.ts';
import { sdkFailureCodes } from '../src/domain/failures/sdk-failure-codes.ts';
import { buildFailureCodes } from '../src/providers/build-step/failure-codes.ts';
import { code, heading, table } from './markdown.ts';

export function errorsPage(): string {
  return [
    heading('Errors and reasons', 'src/api, src/domain, src/events and src/crds'),
    `This page lists every error code of the HTTP API, every code of a failed delivery that Fairlead itself writes, and every
reason of a condition.

## Error codes of the HTTP API

An error is a JSON object with \`detail\`, a human-readable message, and \`code\`. A validation error (422) has a list in
\`detail\` and no \`code\`. An unexpected failure answers 500 with the detail \`Internal Server Error\` and no \`code\`; the log
of the API holds its cause under the request id. Responses 429 and 503 have a \`Retry-After\` header if the delay is known.

Every error also has \`request_id\`, as in the header \`X-Request-Id\`, and \`help\`, a sentence about the next step. Some have
\`context\`, the facts of the message as JSON:

| Code | \`context\` |
|---|---|
| \`resource_busy\` | \`resource\`, \`lifecycle_state\`; \`attempt\` and \`next_attempt_at\` as in the record |
| \`resource_in_use\` | \`resource\`; \`users\`, at most 100 of them; \`more_users\`, true if there are more |
| \`provider_in_use\` | \`provider\`, \`resource_count\`; \`resources\`, the first 100 of them |

Resources have the form \`provider/type/name\`. Programs must ignore members that they do not know. A request that is not valid HTTP
has no id, so its error has only \`detail\` and \`code\`. A client that leaves before the end of its body gets no answer; the audit
line of its request has the code \`client_gone\`.
`,
    table(
      ['Code', 'Status', 'Meaning', 'What to do'],
      (Object.keys(errors) as ErrorCode[]).map(errorRow),
    ),
    `## Codes of failed deliveries

The fields \`error\` of a resource and \`error_code\` of a dead letter give the cause of a failed event. A provider chooses its
own codes; [provider-protocol.md](provider-protocol.md) describes its responses. Fairlead writes the codes of this section.
An event that fails with a retried code becomes a dead letter after the last attempt; with any other code, at once.
`,
    failureTable({
      ...failureCodes,
      HTTP_nnn: {
        kind: null,
        retried: true,
        meaning:
          'The provider responded with status nnn and without an error code, such as `HTTP_503`. Fairlead does not retry after a status 4xx, except 408, 425 and 429.',
        action: 'Check the logs of the provider and of any proxy before it.',
      },
      masked: {
        kind: null,
        retried: true,
        meaning:
          'The code of the provider contained a secret of the resource, so Fairlead does not store it. The status of the response determines whether Fairlead retries.',
        action: 'Change the provider to use codes without values of the config.',
      },
    }),
    `### Codes of the SDK

A provider that uses the SDK answers with these codes, in addition to those that its handlers pass to \`fail\`.
`,
    failureTable(sdkFailureCodes),
    `## Codes of failed builds

A step of a build writes a code as JSON into the termination message of its container, which \`kubectl describe pod\` shows. Over
HTTP, the message beside it is \`error_message\` of the build.
`,
    table(
      ['Code', 'Meaning'],
      Object.entries(buildFailureCodes).map(([name, meaning]) => [code(name), meaning]),
    ),
    `## Conditions

Conditions follow the conventions of Kubernetes. Ready is present after the first reconciliation, except in drafts.
All others are present only while they are true.
`,
    table(
      ['Condition', 'Meaning'],
      Object.entries(conditionTypes).map(([type, meaning]) => [type, meaning]),
    ),
    `## Reasons

A condition has one of these reasons. The Kubernetes events of an object and the field \`reason\` of a resource over HTTP use
the same words.
`,
    table(
      ['Reason', 'Kinds and conditions', 'Meaning', 'What to do'],
      Object.values(Reason).map(reasonRow),
    ),
  ].join('\n');
}

function errorRow(error: ErrorCode): readonly string[] {
  const { status, meaning, action } = errors[error];
  return [code(error), `${status}`, meaning, action];
}

function failureTable(failures: Readonly<Record<string, FailureDescription>>): string {
  const rows = Object.entries(failures).map(([name, { retried, meaning, action }]) => [
    code(name),
    retried ? 'yes' : 'no',
    meaning,
    action,
  ]);
  return table(['Code', 'Retried', 'Meaning', 'What to do'], rows);
}

function reasonRow(reason: Reason): readonly string[] {
  const { carriedBy, meaning, action }: ReasonDescription = reasons[reason];
  const places = Object.entries(carriedBy).map(([kind, types]) => `${kind}: ${types?.join(', ')}`);
  return [code(reason), places.length === 0 ? 'none' : places.join('; '), meaning, action];
}
