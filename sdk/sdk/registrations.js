// The registrations of types: what builds record, and `POST /resources/register` takes.
import { z } from 'zod';
import { deliveryOptionsBody } from '../domain/delivery-options.js';
/** @returns the registrations of a provider's types, with the JSON Schemas of their configurations */
export function registrationsOf({ name, types }) {
    return [...types.values()].map((type) => ({
        provider: name,
        resource: type.name,
        description: type.description,
        // The input form, in which fields with defaults are optional.
        schema: z.toJSONSchema(type.config, { io: 'input' }),
        ...deliveryOptionsBody({ ...type, cancelsOperations: type.cancel !== undefined }),
    }));
}
