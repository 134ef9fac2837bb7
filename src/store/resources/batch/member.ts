// A member of a batch: one apply with its checks, and what is decided about it.
import type { Resource, ResourceSpec } from '../../../crds/resource.ts';
import type { MemberChange } from '../../../domain/apply-plans.ts';
import type { FairleadError } from '../../../domain/errors.ts';
import type { FieldPath } from '../../../domain/schemas/immutable-fields.ts';
import type { ApplyOptions, KnownOutputs } from '../../interfaces.ts';
import type { ResourceRecord, WantedResource } from '../../records.ts';
import type { Prepared } from '../apply/prepare.ts';

export type BatchMember = Omit<ApplyOptions, 'scope' | 'traceparent' | 'by' | 'askAuthors'> & {
  readonly wanted: WantedResource;
  /** Why its request is refused whatever exists; the others are checked all the same. */
  readonly refusedBy?: FairleadError | undefined;
};

export interface DecidedMember {
  /** As it is stored: one that is replaced has `replace`, also where its immutable fields have decided that. */
  readonly member: BatchMember;
  readonly existing: Resource | undefined;
  readonly spec: ResourceSpec;
  readonly change: MemberChange;
  /** As it is; undefined for a new one. */
  readonly before: ResourceRecord | undefined;
  /** As it would be. */
  readonly after: ResourceRecord;
  /** Paths in the config of the immutable fields that force a replacement. */
  readonly forcedBy: readonly FieldPath[];
  readonly knownOutputs?: KnownOutputs | undefined;
  /** Why the write would be refused now. */
  readonly blockedBy: FairleadError | undefined;
  /** Members whose replacement has this one replaced, too: they are written before it. */
  readonly replacedWith?: readonly string[] | undefined;
  /** Undefined when it is blocked. */
  readonly prepared: Prepared | undefined;
}
