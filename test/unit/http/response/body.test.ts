// What of a record becomes the body of a response.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { presenterOf } from '../../../../src/http/response/body.ts';

describe('the body of a record', () => {
  it('has the members of its schema, in their order, under their names', () => {
    const present = presenterOf(z.object({ project_id: z.string(), name: z.string() }));
    const record = { name: 'orders', projectId: 'shop', secrets: ['hunter2'] };
    expect(Object.entries(present(record))).toEqual([
      ['project_id', 'shop'],
      ['name', 'orders'],
    ]);
  });

  it('has null for what is not known, and no member that may be absent', () => {
    const present = presenterOf(
      z.object({ a: z.string().nullable(), b: z.string().optional(), c: z.null().optional() }),
    );
    expect(present({ a: undefined, b: undefined, c: null })).toEqual({ a: null, c: null });
  });

  it('has times as text', () => {
    const present = presenterOf(
      z.object({ failed_at: z.string(), ended_at: z.string().nullable() }),
    );
    const time = new Date('2026-01-31T12:00:00Z');
    expect(present({ failedAt: time, endedAt: time })).toEqual({
      failed_at: '2026-01-31T12:00:00.000Z',
      ended_at: '2026-01-31T12:00:00.000Z',
    });
  });

  it('presents the objects and lists in it the same way', () => {
    const item = z.object({ on_drift: z.string() });
    const present = presenterOf(z.object({ one: item.nullable(), all: z.array(item).optional() }));
    const observe = { onDrift: 'report', every: '5m' };
    expect(present({ one: observe, all: [observe] })).toEqual({
      one: { on_drift: 'report' },
      all: [{ on_drift: 'report' }],
    });
    expect(present({ one: null })).toEqual({ one: null });
  });

  it('has the free content of tenants as it is', () => {
    const present = presenterOf(z.object({ config: z.record(z.string(), z.unknown()) }));
    const config = { maxSize: 1, min_size: { of: [{ itsName: 2 }] } };
    expect(present({ config })).toEqual({ config });
  });
});
