// The type of a resource, as a pass observes it.

import type { DeliveryOptions } from '../../../domain/delivery-options.ts';
import { type TypeSchemas, typeSchemas } from '../../../domain/secrets/type-schemas.ts';
import { firstTypeVersion } from '../../../domain/type-version.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { TypeContent } from '../../../store/providers/type-content.ts';
import {
  type Retirement,
  type ServingVersion,
  servingVersionOf,
} from '../../../store/providers/type-in-force.ts';
import type { KnownType } from './known-type.ts';

export interface ObservedType
  extends Pick<DeliveryOptions, 'retry' | 'operationLimitSeconds' | 'concurrency'> {
  /** False also for a retired type. */
  readonly typeRegistered: boolean;
  /** Set when the version of the provider that serves lacks the type. */
  readonly typeRetired?: Retirement | undefined;
  /** The version whose definition of the type is in force; undefined for a provider that Fairlead does not run. */
  readonly servedBy?: ServingVersion | undefined;
  /** Version of the type that serves; 1 for a type without versions. */
  readonly typeVersion: number;
  /** Schema of the type, when it is registered and has one. */
  readonly schema: JsonObject | undefined;
  /** The schemas that mark secrets, of the version of the type that serves and of earlier ones. */
  readonly schemas?: TypeSchemas | undefined;
  /** How long a handler of the type may run, in milliseconds; undefined when the type does not say. */
  readonly limitMs?: number | undefined;
  /** Whether a deletion ends the handler in flight. */
  readonly cancellable?: boolean | undefined;
  /** Whether a deletion asks the provider to end an operation under way. */
  readonly cancelsOperations?: boolean | undefined;
  /** Whether the provider observes objects of the type. */
  readonly observable?: boolean | undefined;
  /** The content of the definition of the type. */
  readonly typeContent?: TypeContent | undefined;
}

export function typeOf({ type, content, provider }: KnownType): ObservedType {
  const {
    typeVersion = firstTypeVersion,
    schema,
    timeoutSeconds,
    retry,
    operationLimitSeconds,
    concurrency,
    cancellable,
    cancelsOperations,
    observe: observable,
  } = content ?? ({} as Partial<TypeContent>);
  return {
    typeRegistered: type !== undefined && type.retired === undefined,
    typeRetired: type?.retired,
    servedBy: servingVersionOf(provider),
    typeVersion,
    schema: schema as JsonObject | undefined,
    schemas: content && typeSchemas(content),
    limitMs: timeoutSeconds === undefined ? undefined : timeoutSeconds * 1_000,
    retry,
    operationLimitSeconds,
    concurrency,
    cancellable,
    cancelsOperations,
    observable,
    typeContent: content,
  };
}
