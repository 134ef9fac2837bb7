// The body of a PLAN, from the contents of an apply. Pure.
import type { PlanMemberBody } from '../../domain/event.ts';
import type { Organization } from '../../domain/identity.ts';
import { outputSecrets, receivedSecrets } from '../../domain/secrets/received-secrets.ts';
import {
  eventSecrets,
  nothingRecorded,
  type ReceivedSecrets,
} from '../../domain/secrets/resource-secrets.ts';
import { firstTypeVersion } from '../../domain/type-version.ts';
import { jsonBytes } from '../../lib/json.ts';
import type { DefinitionStore, PlannedContent } from '../../store/interfaces.ts';

/** A content that is asked about. */
export interface AskedContent {
  /** Its place among all contents of the request. */
  readonly at: number;
  readonly content: PlannedContent;
  readonly received: ReceivedSecrets;
  readonly body: PlanMemberBody;
}

/** @param at the place of the content in its request */
export function askedContent(
  definitions: Pick<DefinitionStore, 'schemasOf'>,
  organization: Organization,
  { content, at }: Pick<AskedContent, 'content' | 'at'>,
): AskedContent {
  const received = receivedSecrets(content.declared, (dependency, budget) => {
    const used = content.used(dependency);
    return used && outputSecrets(used, definitions.schemasOf(organization, used), budget);
  });
  const secrets = eventSecrets(content.secrets ?? nothingRecorded, received);
  const { applied } = content;
  const body: PlanMemberBody = {
    project_id: content.projectId,
    name: content.tuple.name,
    config: content.config,
    schema_version: content.typeVersion,
    unknown: content.unknown,
    previous_config: applied?.config ?? null,
    previous_schema_version: applied?.typeVersion ?? null,
    outputs: applied?.outputs ?? {},
    outputs_schema_version: applied?.outputsTypeVersion ?? firstTypeVersion,
    ...(secrets.length === 0 ? {} : { secrets }),
  };
  return { at, content, received, body };
}

/** Providers accept requests of 4 MiB. */
const maxMembersBytes = 3 * 1_048_576;

/** @returns the contents in as few requests as providers accept; one, unless they are very large */
export function inRequests(
  contents: readonly AskedContent[],
): readonly (readonly AskedContent[])[] {
  const requests: AskedContent[][] = [];
  let left = 0;
  for (const each of contents) {
    const bytes = jsonBytes(each.body);
    if (bytes > left || requests.length === 0) {
      requests.push([]);
      left = maxMembersBytes;
    }
    requests.at(-1)?.push(each);
    left -= bytes;
  }
  return requests;
}
