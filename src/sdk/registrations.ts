// The registrations of types: what builds record, and `POST /resources/register` takes.
import { z } from 'zod';
import { type DeliveryOptionsBody, deliveryOptionsBody } from '../domain/delivery-options.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Provider } from './provider.ts';

/** The body of `POST /resources/register`; of the options of delivery only those that the type declares. */
export interface Registration extends DeliveryOptionsBody {
  readonly provider: string;
  readonly resource: string;
  readonly description: string;
  readonly schema: JsonObject;
}

/** @returns the registrations of a provider's types, with the JSON Schemas of their configurations */
export function registrationsOf({ name, types }: Provider): readonly Registration[] {
  return [...types.values()].map((type) => ({
    provider: name,
    resource: type.name,
    description: type.description,
    // The input form, in which fields with defaults are optional.
    schema: z.toJSONSchema(type.config, { io: 'input' }) as unknown as JsonObject,
    ...deliveryOptionsBody({ ...type, cancelsOperations: type.cancel !== undefined }),
  }));
}
