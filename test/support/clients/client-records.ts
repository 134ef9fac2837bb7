// A record of a resource as the API returns it to the client.
import type { ResourceRecord } from '../../../src/api/shapes.ts';

/** @returns a ready resource `postgres/database/NAME` */
export function resourceRecord(name: string, more: Partial<ResourceRecord> = {}): ResourceRecord {
  return {
    id: `resource:postgres_database_${name}`,
    provider: 'postgres',
    resource: 'database',
    name,
    project_id: 'default',
    lifecycle_state: 'ready',
    reason: 'Processed',
    message: null,
    attempt: null,
    next_attempt_at: null,
    config: { name },
    outputs: { url: `postgres://${name}` },
    tags: null,
    error: null,
    drift: null,
    dependencies: [],
    ...{ protected: false, expires_at: null, paused: false, deletion_policy: 'delete' },
    provider_version: null,
    applied_by: null,
    deletion_requested_at: null,
    created_at: '2026-01-31T12:00:00.000Z',
    updated_at: '2026-01-31T12:00:00.000Z',
    ...more,
  } as ResourceRecord;
}
