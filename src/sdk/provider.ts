// Providers and types in the runtime, without the types of their schemas.
import type { z } from 'zod';
import type {
  AnyObject,
  Awaitable,
  Call,
  CancelCall,
  DeleteCall,
  ListCall,
  ObserveCall,
  PlanCall,
  StartCall,
  UpdateCall,
} from './call.ts';
import type { DeclaredIdentity } from './identity.ts';
import type { Migration } from './migrations/from.ts';
import type { AuthorOptions } from './type-options.ts';

/** A type with its schemas and handlers; made by `resource` of a provider. */
export interface ResourceType extends AuthorOptions {
  readonly name: string;
  readonly description: string;
  readonly config: z.ZodType;
  readonly outputs: z.ZodType;
  /** Schema of what identifies an object in an import. */
  readonly adopt?: z.ZodType;
  /** Names of outputs that a repeated `create` returns with other values. */
  readonly onceOnly?: readonly string[];
  readonly identity?: DeclaredIdentity;
  readonly version: number;
  /** Lead to `version`. */
  readonly migrations?: readonly Migration[];
  readonly create: (call: Call<AnyObject>) => Awaitable<unknown>;
  readonly update: (call: UpdateCall<AnyObject, AnyObject>) => Awaitable<unknown>;
  readonly delete: (call: DeleteCall<AnyObject, AnyObject>) => Awaitable<unknown>;
  readonly cancel?: (call: CancelCall<AnyObject, AnyObject>) => Awaitable<unknown>;
  readonly observe?: (
    call: ObserveCall<AnyObject, AnyObject, AnyObject, AnyObject>,
  ) => Awaitable<unknown>;
  readonly list?: (call: ListCall) => Awaitable<unknown>;
  readonly plan?: (call: PlanCall<AnyObject, AnyObject>) => Awaitable<unknown>;
}

export interface Provider {
  readonly name: string;
  readonly types: ReadonlyMap<string, ResourceType>;
  /** Undefined when the provider has no settings. */
  readonly settings?: z.ZodType;
  /** Undefined when the provider declares no limit. */
  readonly concurrency?: number;
  /** Undefined: 10. */
  readonly blockedLimitSeconds?: number;
  readonly start?: (call: StartCall) => Awaitable<unknown>;
  readonly stop?: (started: AnyObject) => Awaitable<unknown>;
  readonly check?: (call: StartCall) => Awaitable<unknown>;
}
