// Declares a kind: one zod schema for spec and one for status, from which types, CRD and OpenAPI all derive.
import { z } from 'zod';

export const group = 'fairlead.dev';
export const version = 'v1alpha1';
export const apiVersion = `${group}/${version}`;

interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date' | 'boolean';
  readonly jsonPath: string;
  readonly description?: string;
  /** 1: only with `-o wide`. */
  readonly priority?: 0 | 1;
}

/** A CEL rule (`x-kubernetes-validations`) with the message that a kubectl user reads on a violation. */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
  /** A CEL expression that builds a message with the values; `message` is the fallback. */
  readonly messageExpression?: string;
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueDuplicate';
  readonly fieldPath?: string;
  /** Required for transition rules (`oldSelf`) on fields that may be absent before. */
  readonly optionalOldSelf?: boolean;
}

interface KindDeclaration<Spec extends z.ZodType, Status extends z.ZodType> {
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly namespaced: boolean;
  /** Characters of `metadata.name`, which bound the cost of rules about it; 63 when absent. */
  readonly longestName?: number;
  readonly description: string;
  readonly spec: Spec;
  readonly status: Status;
  readonly columns: readonly PrinterColumn[];
  readonly selectableFields: readonly string[];
  /** Paths of the subresource `scale`, by which autoscalers set a number of pods. */
  readonly scale?: Readonly<Record<'spec' | 'status' | 'labelSelector', string>>;
  /** Rules over the whole object, besides those declared with `.meta(cel(…))` on single fields. */
  readonly rules?: readonly CelRule[];
}

export interface KindDefinition<Spec extends z.ZodType, Status extends z.ZodType>
  extends KindDeclaration<Spec, Status> {
  readonly group: typeof group;
  readonly version: typeof version;
}

export function defineKind<Spec extends z.ZodType, Status extends z.ZodType>(
  declaration: KindDeclaration<Spec, Status>,
): KindDefinition<Spec, Status> {
  return { ...declaration, group, version };
}

/** Metadata as Fairlead reads it; the same shape as the Kubernetes layer's. */
interface Metadata {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
}

/** The TypeScript type of an object of a kind. */
export interface ObjectOf<Definition extends KindDefinition<z.ZodType, z.ZodType>> {
  apiVersion?: string;
  kind?: string;
  metadata: Metadata;
  spec: z.output<Definition['spec']>;
  status?: z.output<Definition['status']>;
}

/** `.meta(cel({ rule, message }, …))` puts CEL rules on a field. */
export function cel(...rules: readonly CelRule[]): {
  'x-kubernetes-validations': readonly CelRule[];
} {
  return { 'x-kubernetes-validations': rules };
}

export const immutable = cel({
  rule: 'self == oldSelf',
  message: 'cannot be changed',
  reason: 'FieldValueForbidden',
});

/** An object whose members Fairlead stores unchecked. */
export function freeForm(description: string) {
  // z.json() is recursive, which a CRD cannot express; the API server stores these members unchecked.
  const anyJson = z.unknown() as unknown as ReturnType<typeof z.json>;
  return z
    .record(z.string(), anyJson)
    .describe(description)
    .meta({ 'x-kubernetes-preserve-unknown-fields': true });
}

/** As `freeForm`, but with one owner: an apply replaces the whole object. */
export function declaredWhole(description: string) {
  // The API server merges the members of several field managers otherwise, to a config that none of them declared.
  return freeForm(description).meta({ 'x-kubernetes-map-type': 'atomic' });
}

export const dateTime = z.string().meta({ format: 'date-time' });
