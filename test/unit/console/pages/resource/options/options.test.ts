// A change of one option of a resource, which leaves all else as it is.
import { describe, expect, it } from 'vitest';
import type { ResourceRecord } from '../../../../../../src/api/shapes.ts';
import { hasSameOptions } from '../../../../../../src/client/resource-options.ts';

const record = {
  ...{ provider: 'box', resource: 'crate', name: 'shelf', project_id: 'p', id: 'resource:x' },
  ...{ lifecycle_state: 'failed', config: { size: 1 }, tags: ['a'], dependencies: [] },
  ...{ protected: false, paused: true, expires_at: null, deletion_policy: 'delete' },
} as Partial<ResourceRecord> as ResourceRecord;

describe('a change of an option', () => {
  it('is noticed by whoever writes to the version before', () => {
    expect(hasSameOptions(record, { ...record, config: {} })).toBe(true);
    expect(hasSameOptions(record, { ...record, deletion_policy: 'orphan' })).toBe(false);
  });
});
