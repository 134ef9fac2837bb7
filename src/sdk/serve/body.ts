// Reads the body of a verified request: an event, or a request besides events.
import { z } from 'zod';
import { deliveredTypes, type EventBody } from '../../domain/event.ts';
import { notAnEvent } from './refusal.ts';
import type { RequestBody } from './requests.ts';

const json = z.record(z.string(), z.unknown());
const Event = z.object({
  event_id: z.string(),
  event_type: z.enum(deliveredTypes),
  organization_id: z.string(),
  project_id: z.string(),
  provider: z.string(),
  resource: z.string(),
  name: z.string(),
  config: json,
  previous_config: json.nullable(),
  outputs: json,
  schema_version: z.int(),
  previous_schema_version: z.int().nullable(),
  outputs_schema_version: z.int(),
  attempt: z.int(),
  sequence: z.int(),
  generation: z.int(),
  context: json.nullable(),
  cancels: z
    .object({
      event_id: z.string(),
      event_type: z.enum(['CREATE', 'UPDATE']),
      operation: z.boolean(),
    })
    .optional(),
  adopt: json.nullable().optional(),
  secrets: z.array(z.string()).optional(),
});

const addressed = { event_id: z.string(), organization_id: z.string(), provider: z.string() };
const Migrate = z.object({
  ...addressed,
  event_type: z.literal('MIGRATE'),
  resource: z.string(),
  schema_version: z.int(),
  config: json,
});
const Check = z.object({
  ...addressed,
  event_type: z.literal('CHECK'),
  settings: z.record(z.string(), z.string()),
  unchanged: z.array(z.string()).default([]),
});
const List = z.object({
  ...addressed,
  event_type: z.literal('LIST'),
  resource: z.string(),
  cursor: z.string().nullable(),
});
const Plan = z.object({
  ...addressed,
  event_type: z.literal('PLAN'),
  resource: z.string(),
  members: z.array(
    z.object({
      ...Event.pick({
        project_id: true,
        name: true,
        config: true,
        schema_version: true,
        previous_config: true,
        previous_schema_version: true,
        outputs: true,
        outputs_schema_version: true,
        secrets: true,
      }).shape,
      unknown: z.array(z.string()),
    }),
  ),
});
const Body = z.discriminatedUnion('event_type', [Event, Migrate, Check, List, Plan]);

/** An event, or a request besides events. */
export type VerifiedBody = EventBody | RequestBody;

/** @throws Refusal when it is neither */
export function parseBody(body: unknown): VerifiedBody {
  const result = Body.safeParse(body);
  if (result.success) return result.data as VerifiedBody;
  throw notAnEvent();
}
