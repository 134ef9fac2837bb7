// The type of a resource, as a pass observes it.
import { type TypeSchemas, typeSchemas } from '../../../domain/secrets/type-schemas.ts';
import type { DeclaredTypeOptions } from '../../../domain/type-options.ts';
import { firstTypeVersion } from '../../../domain/type-version.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { type TypeContent, typeOptionsOf } from '../../../store/providers/type-content.ts';
import {
  type Retirement,
  type ServingVersion,
  servingVersionOf,
} from '../../../store/providers/type-in-force.ts';
import type { KnownType } from './known-type.ts';

export interface ObservedType extends DeclaredTypeOptions {
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
  /** The content of the definition of the type. */
  readonly typeContent?: TypeContent | undefined;
}

export function typeOf({ type, content, provider }: KnownType): ObservedType {
  return {
    ...(content && typeOptionsOf(content)),
    typeRegistered: type !== undefined && type.retired === undefined,
    typeRetired: type?.retired,
    servedBy: servingVersionOf(provider),
    typeVersion: content?.typeVersion ?? firstTypeVersion,
    schema: content?.schema as JsonObject | undefined,
    schemas: content && typeSchemas(content),
    typeContent: content,
  };
}
