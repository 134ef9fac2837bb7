// The store of orphan receipts: written before a resource is removed without its provider, listed and deleted by people.
// They outlive the namespace of their organization: while it terminates, they are written to Fairlead's own.
import { receiptIdPattern } from '../../domain/dead-letter.ts';
import type { Organization } from '../../domain/identity.ts';
import { allow, type KubeClient, type ScopedRules } from '../../kube/api.ts';
import { hasReason, unlessExists } from '../../kube/errors.ts';
import { configMapKind, label } from '../kinds.ts';
import { pagesOf } from '../pages.ts';
import { read } from '../put.ts';
import {
  fromReceiptObject,
  type Receipt,
  type ReceiptObject,
  type ReceiptRecord,
  toReceiptObject,
} from './orphan-receipt-object.ts';

export type { Receipt, ReceiptRecord } from './orphan-receipt-object.ts';

/** `npm run generate` generates roles from these. */
export const receiptRules = {
  tenant: [allow(['get', 'list', 'delete'], '', ['configmaps'])],
  system: [allow(['get', 'list', 'delete'], '', ['configmaps'])],
} satisfies ScopedRules;
export const receiptWritingRules = {
  tenant: [allow(['get', 'list', 'create', 'delete'], '', ['configmaps'])],
  system: [allow(['get', 'create', 'delete'], '', ['configmaps'])],
} satisfies ScopedRules;

export interface ReceiptStore {
  /** Writes once per resource: an existing orphan receipt stays as it is. */
  write(receipt: Receipt): Promise<void>;
  /** The oldest first, including those of an earlier namespace of this name. */
  list(organization: Organization): Promise<readonly ReceiptRecord[]>;
  /** Deletes the oldest orphan receipt in a namespace, to free quota for a dead letter. @returns its id, if there was one */
  removeOldest(namespace: string): Promise<string | undefined>;
  /** Deletes nothing but an orphan receipt of this organization. @returns whether there was one */
  remove(organization: Organization, id: string): Promise<boolean>;
}

interface ReceiptStoreDeps {
  readonly client: KubeClient;
  readonly systemNamespace: string;
}

export function createReceiptStore(deps: ReceiptStoreDeps): ReceiptStore {
  return {
    write: (receipt) => writeReceipt(deps, receipt),
    list: (organization) => listReceipts(deps, organization),
    removeOldest: (namespace) => removeOldest(deps, namespace),
    remove: (organization, id) => removeReceipt(deps, organization, id),
  };
}

async function writeReceipt({ client, systemNamespace }: ReceiptStoreDeps, receipt: Receipt) {
  const namespace = receipt.terminating ? systemNamespace : receipt.namespace;
  const object = toReceiptObject(receipt, namespace);
  if (await unlessExists(() => client.create<ReceiptObject>(configMapKind, object))) return;
  const ref = { namespace, name: object.metadata.name };
  const present = await read<ReceiptObject>(client, configMapKind, ref);
  if (present !== undefined && fromReceiptObject(present) !== undefined) return;
  // Another object has the name; what remains outside must be recorded all the same.
  const { uid } = present?.metadata ?? {};
  if (uid !== undefined) await client.delete(configMapKind, ref, { uid });
  await client.create(configMapKind, object);
}

async function listReceipts(deps: ReceiptStoreDeps, organization: Organization) {
  const selector = `${label.orphanReceipt}=true`;
  const ofNamespace = `${label.organizationNamespace}=${organization.namespace}`;
  const found = await Promise.all([
    receiptsIn(deps, organization.namespace, selector),
    receiptsIn(deps, deps.systemNamespace, `${selector},${ofNamespace}`),
  ]);
  return found.flat().sort((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1));
}

async function receiptsIn(
  { client }: ReceiptStoreDeps,
  namespace: string,
  labelSelector: string,
): Promise<readonly ReceiptRecord[]> {
  const found: ReceiptRecord[] = [];
  for await (const object of pagesOf<ReceiptObject>(client, configMapKind, {
    namespace,
    labelSelector,
  })) {
    const receipt = fromReceiptObject(object);
    if (receipt !== undefined) found.push(receipt);
  }
  return found;
}

async function removeOldest(
  deps: ReceiptStoreDeps,
  namespace: string,
): Promise<string | undefined> {
  const receipts = await receiptsIn(deps, namespace, `${label.orphanReceipt}=true`);
  const [oldest] = receipts.toSorted((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1));
  if (oldest === undefined) return undefined;
  const found = await read<ReceiptObject>(deps.client, configMapKind, {
    namespace,
    name: oldest.id,
  });
  if (found !== undefined && fromReceiptObject(found) !== undefined) {
    await take(deps.client, found);
  }
  return oldest.id;
}

function sortKey({ at, id }: ReceiptRecord): string {
  return `${at.toISOString()}\u0000${id}`;
}

async function removeReceipt(
  { client, systemNamespace }: ReceiptStoreDeps,
  organization: Organization,
  id: string,
): Promise<boolean> {
  if (!receiptIdPattern.test(id)) return false;
  let existed = false;
  for (const namespace of [organization.namespace, systemNamespace]) {
    const ref = { namespace, name: id };
    const found = await read<ReceiptObject>(client, configMapKind, ref);
    const receipt = found && fromReceiptObject(found);
    if (found === undefined || receipt === undefined) continue;
    const foreign = namespace === systemNamespace && receipt.namespace !== organization.namespace;
    if (foreign) continue;
    await take(client, found);
    existed = true;
  }
  return existed;
}

async function take(client: KubeClient, { metadata }: ReceiptObject): Promise<void> {
  const { name, namespace, uid = '' } = metadata;
  try {
    await client.delete(configMapKind, { namespace, name }, { uid });
  } catch (thrown) {
    // A new object has the name: the requested one is gone.
    if (!hasReason(thrown, 'conflict')) throw thrown;
  }
}
