// The states of a resource and its content. Only a change of content makes a new event.

import { canonicalHash } from '../lib/canonical-hash.ts';
import type { JsonObject } from '../lib/json.ts';
import { storedVersion } from './type-version.ts';

export const lifecycleStates = ['draft', 'pending', 'processing', 'ready', 'failed'] as const;
export type LifecycleState = (typeof lifecycleStates)[number];

/** The states in kubectl: the five states of the API, and `deleting`, for which the HTTP API returns 404. */
export const storedStates = [...lifecycleStates, 'deleting'] as const;
export type StoredState = (typeof storedStates)[number];

export const Lifecycle = { Draft: 'Draft', Committed: 'Committed' } as const;
export type Lifecycle = (typeof Lifecycle)[keyof typeof Lifecycle];

export interface Dependency extends JsonObject {
  readonly provider: string;
  readonly resource: string;
  readonly name: string;
}

/** The part of a spec that providers receive. It excludes tags, pause and deletion policy. */
interface Content {
  readonly lifecycle: Lifecycle;
  readonly config: JsonObject;
  readonly dependencies?: readonly Dependency[];
  /** Counts how often a failed resource was applied again with the same config. */
  readonly retry?: number;
  /** Version of the type; the first one leaves hashes as they were before types had versions. */
  readonly typeVersion?: number | undefined;
  /** Identifies an object to import; absent leaves hashes as they were before there were imports. */
  readonly adopt?: JsonObject | undefined;
}

/** @returns 32 hex digits that are equal exactly when the contents are equal, whatever the order of keys. */
export function contentHash(content: Content): string {
  const { lifecycle, config, dependencies = [], retry = 0, typeVersion, adopt } = content;
  const version = storedVersion(typeVersion);
  const imported = adopt === undefined ? [] : [{ adopt }];
  const later = version === undefined ? imported : [version, ...imported];
  return canonicalHash([lifecycle, config, dependencies, retry, ...later]);
}
