// Orphan receipts as ConfigMaps: records of what may remain after removing a resource without its provider.
import { type ReceiptReason, receiptReasons } from '../../domain/dead-letter.ts';
import { isTuple } from '../../domain/identity.ts';
import type { KubeObject } from '../../kube/api.ts';
import { type JsonObject, type JsonValue, jsonBytes, jsonIn, textItems } from '../../lib/json.ts';
import { clean } from '../../lib/text.ts';
import { label } from '../kinds.ts';
import { existsAnnotations, existsIn } from './exists.ts';

export interface Receipt {
  /** Uid of the Resource and id of the orphan receipt. */
  readonly uid: string;
  readonly namespace: string;
  readonly organizationId: string;
  readonly provider: string;
  readonly resourceType: string;
  readonly resourceName: string;
  readonly projectId: string;
  /** With secrets masked. */
  readonly config: JsonValue;
  readonly outputs: JsonObject;
  /** Why the requested cleanup by its provider failed. */
  readonly error: string | null;
  readonly reason: ReceiptReason;
  readonly eventId: string | undefined;
  /** Whether the object of the resource exists, as one observation said; undefined when nothing is known. */
  readonly exists?: boolean | undefined;
  readonly at: Date;
  /** Whether the resource was protected. */
  readonly protected: boolean;
  /** True when its namespace terminates: it accepts no new objects and would delete them. */
  readonly terminating: boolean;
}

export interface ReceiptRecord extends Omit<Receipt, 'terminating' | 'config' | 'outputs'> {
  readonly id: string;
  /** null: too large to store, or the existing keys are listed in `omitted`. */
  readonly config: JsonValue;
  readonly outputs: JsonValue;
  readonly omitted: readonly string[];
}

export interface ReceiptObject extends KubeObject {
  readonly immutable?: boolean;
  readonly data?: Readonly<Record<string, string>>;
}

const sizeLimit = 900 * 1_024;
const maxErrorLength = 4_096;

function receiptIdOf(uid: string): string {
  return `receipt-${uid}`;
}

/** @param namespace where it is stored; not the organization's own when that terminates */
export function toReceiptObject(receipt: Receipt, namespace: string): ReceiptObject {
  const { config, outputs, omitted } = boundedParts(receipt);
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: receiptIdOf(receipt.uid),
      namespace,
      labels: {
        [label.managedBy]: 'fairlead',
        [label.orphanReceipt]: 'true',
        [label.provider]: receipt.provider,
        [label.organizationNamespace]: receipt.namespace,
      },
      ...existsAnnotations(receipt.exists),
    },
    immutable: true,
    data: {
      resource_uid: receipt.uid,
      organization_id: receipt.organizationId,
      project_id: receipt.projectId,
      provider: receipt.provider,
      resource_type: receipt.resourceType,
      resource_name: receipt.resourceName,
      reason: receipt.reason,
      created_at: receipt.at.toISOString(),
      config: JSON.stringify(config),
      outputs: JSON.stringify(outputs),
      omitted: JSON.stringify(omitted),
      ...(receipt.error === null ? {} : { error: clean(receipt.error, maxErrorLength) }),
      ...(receipt.protected ? { protected: 'true' } : {}),
      ...(receipt.eventId === undefined ? {} : { event_id: receipt.eventId }),
    },
  };
}

function boundedParts({ config, outputs }: Pick<Receipt, 'config' | 'outputs'>) {
  if (jsonBytes(config) + jsonBytes(outputs) <= sizeLimit) return { config, outputs, omitted: [] };
  if (jsonBytes(config) <= sizeLimit) return { config, outputs: null, omitted: ['outputs'] };
  return { config: null, outputs: null, omitted: ['config', 'outputs'] };
}

/** @returns undefined when the object is no orphan receipt of ours */
export function fromReceiptObject({
  metadata,
  data = {},
}: ReceiptObject): ReceiptRecord | undefined {
  const { name, namespace = '', labels = {} } = metadata;
  const text = (key: string) => data[key] ?? '';
  const tuple = {
    provider: text('provider'),
    resource: text('resource_type'),
    name: text('resource_name'),
  };
  const reason = receiptReasons.find((each) => each === data['reason']);
  const at = new Date(text('created_at'));
  const ours = labels[label.orphanReceipt] === 'true' && name === receiptIdOf(text('resource_uid'));
  if (!ours || reason === undefined || !isTuple(tuple) || Number.isNaN(at.getTime())) {
    return undefined;
  }
  return {
    id: name,
    uid: text('resource_uid'),
    namespace: labels[label.organizationNamespace] ?? namespace,
    organizationId: text('organization_id'),
    projectId: text('project_id'),
    provider: tuple.provider,
    resourceType: tuple.resource,
    resourceName: tuple.name,
    reason,
    error: data['error'] ?? null,
    eventId: data['event_id'],
    exists: existsIn(metadata),
    protected: data['protected'] === 'true',
    config: jsonIn(data['config'] ?? '') ?? null,
    outputs: jsonIn(data['outputs'] ?? '') ?? null,
    omitted: textItems(jsonIn(data['omitted'] ?? '')),
    at,
  };
}
