// Stores the content of a resource that an apply is about to replace, in one ConfigMap that Kubernetes deletes with the resource.
// It is stored before the apply writes: after a crash in between, the next apply stores the same again.
import type { Resource } from '../../../crds/resource.ts';
import type { Actor } from '../../../domain/actor.ts';
import type { Organization } from '../../../domain/identity.ts';
import { type Marks, marksOf } from '../../../domain/secrets/marks.ts';
import {
  marksOfResource,
  nothingRecorded,
  placesToRecord,
} from '../../../domain/secrets/resource-secrets.ts';
import type { TypeSchemas } from '../../../domain/secrets/type-schemas.ts';
import { allow, type KubeClient, type KubeObject, type ScopedRules } from '../../../kube/api.ts';
import { hasReason, mustLookAgain } from '../../../kube/errors.ts';
import { canonicalJson, type JsonObject } from '../../../lib/json.ts';
import type { Log } from '../../../lib/log.ts';
import type { DefinitionStore } from '../../interfaces.ts';
import { apiVersion, configMapKind, kinds, label } from '../../kinds.ts';
import { recordedSecretsOf } from '../recorded-secrets.ts';
import { storedTypeVersion } from '../type-version.ts';
import { changedSecrets, historyEntry, type Judged } from './contents.ts';
import { markFor, markOf } from './mark.ts';
import { dataOf } from './slots.ts';

/** `npm run generate` generates roles from these. */
export const historyRules = {
  tenant: [allow(['get', 'create', 'patch'], '', ['configmaps'])],
} satisfies ScopedRules;

export interface HistoryObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export interface HistoryKeeper {
  /** @returns the annotations that make `spec` the next revision of a resource */
  markFor(
    organization: Organization,
    existing: Resource | undefined,
    next: { readonly spec: Resource['spec']; readonly now: Date; readonly by: Actor | undefined },
  ): Record<string, string>;
  /** Stores the present content of a resource. Never rejects: an apply matters more than its history. */
  keep(organization: Organization, replaced: Resource): Promise<void>;
}

interface HistoryKeeperDeps {
  readonly client: Pick<KubeClient, 'create' | 'patch'>;
  readonly log: Log;
  readonly definitions: Pick<DefinitionStore, 'schemasOf'>;
  /** An apply waits no longer; default 1 s. */
  readonly patienceMs?: number;
}

const defaultPatienceMs = 1_000;
const maxRounds = 3;

export function createHistoryKeeper(deps: HistoryKeeperDeps): HistoryKeeper {
  const { definitions, log } = deps;
  return {
    markFor(organization, existing, next) {
      const schemas = definitions.schemasOf(organization, next.spec);
      const places = placesToRecord(next.spec.config as JsonObject, marksOf(schemas?.config));
      const adopt = next.spec.adopt as JsonObject | undefined;
      const adopted = adopt && placesToRecord(adopt, marksOfAdopt(existing, adopt, schemas));
      const recorded = { ...nothingRecorded, declared: places, adopted };
      const now = { spec: next.spec, schemas, secrets: recorded };
      const secrets = existing && changedSecrets(judgedBy(existing, schemas), now);
      return markFor(existing, { ...next, secrets, places, adopted });
    },
    async keep(organization, replaced) {
      try {
        const schemas = definitions.schemasOf(organization, replaced.spec);
        const data = dataOf(historyEntry(markOf(replaced), judgedBy(replaced, schemas)));
        await writeHistory(deps, replaced, data);
      } catch (error) {
        const { namespace, name } = replaced.metadata;
        const { revision } = markOf(replaced);
        log.warn({ namespace, name, revision, error }, 'A revision is missing in the history');
      }
    },
  };
}

/** Whatever an apply changes, what identifies an imported object stays, and with it what was secret there. */
function marksOfAdopt(
  existing: Resource | undefined,
  adopt: JsonObject,
  schemas: TypeSchemas | undefined,
): Marks {
  const before = existing && recordedSecretsOf(existing);
  const isSame =
    before?.adopt !== undefined && canonicalJson(before.adopt) === canonicalJson(adopt);
  return isSame ? marksOfResource(before, schemas).adopt : marksOf(schemas?.adopt);
}

/** @param schemas of the type, now */
export function judgedBy(resource: Resource, schemas: TypeSchemas | undefined): Judged {
  const secrets = recordedSecretsOf(resource);
  return { spec: resource.spec, schemas, secrets, typeVersion: storedTypeVersion(resource) };
}

/** Revisions have slots of their own, so writers need no version check: those of one revision write the same. */
async function writeHistory(
  { client, patienceMs = defaultPatienceMs }: HistoryKeeperDeps,
  replaced: Resource,
  data: Readonly<Record<string, string | null>>,
): Promise<void> {
  const signal = AbortSignal.timeout(patienceMs);
  const ref = historyRef(replaced);
  let exists = markOf(replaced).revision > 1;
  for (let round = 1; ; round += 1) {
    try {
      if (exists) await client.patch(configMapKind, ref, { data }, { signal });
      else await client.create(configMapKind, historyObject(replaced, data), { signal });
      return;
    } catch (thrown) {
      if (!mustLookAgain(thrown) || round === maxRounds || signal.aborted) throw thrown;
      if (hasReason(thrown, 'notFound')) exists = false;
      if (hasReason(thrown, 'alreadyExists')) exists = true;
    }
  }
}

export function historyRef({ metadata: { namespace = '', uid = '' } }: Resource) {
  return { namespace, name: `history-${uid}` };
}

function historyObject(
  resource: Resource,
  data: Readonly<Record<string, string | null>>,
): HistoryObject {
  const { name, uid = '' } = resource.metadata;
  return {
    apiVersion: 'v1',
    kind: configMapKind.kind,
    metadata: {
      ...historyRef(resource),
      // No other label: caches and backups of dead letters select ConfigMaps by theirs.
      labels: { [label.history]: 'true' },
      ownerReferences: [{ apiVersion, kind: kinds.resource.kind, name, uid }],
    },
    data: Object.fromEntries(
      Object.entries(data).filter((each): each is [string, string] => each[1] !== null),
    ),
  };
}
