// The identity that a type declares: a schema, and a function that picks it from outputs. What the function picks is recorded once, as
// JSON Pointers: the registration is data, by which the server computes the identity of outputs, of `adopt` and of listed objects.
import type { z } from 'zod';
import type { EventBody } from '../domain/event.ts';
import {
  type IdentityPointers,
  identityAt,
  maxIdentityMembers,
  type ObjectIdentity,
} from '../domain/objects/identity.ts';
import { type JsonObject, pointer } from '../lib/json.ts';
import { type AnyObject, type Named, ownerOf } from './call.ts';
import { issueText } from './failure-text.ts';
import { TerminalFailure } from './outcome.ts';

/** @typeParam New what `forNew` returns */
export interface IdentityOptions<Identity extends z.ZodType, Outputs, New> {
  /** Schema of the identity: of `adopt`, too, so `observe` and items of `list` have it in this form. */
  readonly schema: Identity;
  /** Picks the identity from outputs. It only picks members, and computes nothing. */
  of(outputs: Outputs): z.input<Identity>;
  /**
   * Returns the identity of the object that `create` makes for a resource, when it follows from its names. Handlers then receive it as
   * `identity` before there are outputs. Omit it when the backing service chooses the identity.
   */
  forNew?(named: Named): New;
}

/** The identity of a type in the runtime. */
export interface DeclaredIdentity extends IdentityOptions<z.ZodType, AnyObject, unknown> {
  readonly pointers: ObjectIdentity;
}

/** @throws TypeError when a declaration is none, or when its `of` does more than picking */
export function requireIdentity(type: string, declared: unknown): DeclaredIdentity | undefined {
  if (declared === undefined) return undefined;
  const { schema, of, forNew } = declared as Partial<
    IdentityOptions<z.ZodType, AnyObject, unknown>
  >;
  if (typeof schema !== 'object' || typeof of !== 'function') {
    throw new TypeError(
      `Type ${type}: identity must be { schema, of }, such as { schema: z.strictObject({ id: z.string() }), of: (outputs) => ({ id: outputs.id }) }`,
    );
  }
  const outputs = pickedBy(type, of);
  const adopt = Object.fromEntries(Object.keys(outputs).map((name) => [name, pointer('', name)]));
  return { schema, of, ...(forNew === undefined ? {} : { forNew }), pointers: { outputs, adopt } };
}

function pickedBy(type: string, of: (outputs: AnyObject) => unknown): IdentityPointers {
  const paths = new Map<unknown, string>();
  const rule = `Type ${type}: of of its identity must pick members of the outputs, such as (outputs) => ({ id: outputs.id })`;
  const at = (path: string): object => {
    const part: object = new Proxy(Object.freeze({}), {
      get(_target, name) {
        if (typeof name === 'symbol') throw new TypeError(`${rule}; it computes something`);
        return at(pointer(path, name));
      },
    });
    paths.set(part, path);
    return part;
  };
  const picked = of(at('') as AnyObject);
  const members = typeof picked === 'object' && picked !== null ? Object.entries(picked) : [];
  const found = members.map(([name, part]) => [name, paths.get(part) ?? ''] as const);
  const isUsable = found.length > 0 && found.length <= maxIdentityMembers;
  if (!isUsable || found.some(([, path]) => path === '')) throw new TypeError(rule);
  return Object.fromEntries(found);
}

/** @returns the identity of the object of an event; null when nothing says it */
export function identityOf(
  declared: DeclaredIdentity,
  event: EventBody,
  outputs: AnyObject,
): unknown {
  const { schema, forNew, pointers } = declared;
  const ofOutputs = identityAt(pointers.outputs, outputs as JsonObject);
  const parsed = ofOutputs && schema.safeParse(ofOutputs);
  if (parsed?.success) return parsed.data;
  if (event.adopt != null) {
    const adopt = schema.safeParse(event.adopt);
    if (adopt.success) return adopt.data;
    throw new TerminalFailure('invalid_adopt', issueText(adopt.error));
  }
  const { organization_id: organization, project_id: project, resource, name } = event;
  const named = { organization, project, resource, name };
  const made = forNew?.({ ...named, owner: ownerOf(named) }) ?? null;
  if (made === null || schema.safeParse(made).success) return made;
  throw new TerminalFailure(
    'invalid_identity',
    'forNew of the identity returned what does not fit its schema',
  );
}
