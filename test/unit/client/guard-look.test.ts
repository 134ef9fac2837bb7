import { describe, expect, it } from 'vitest';
import { expiresSoon, guardLooks, guardsOf } from '../../../src/client/guard-look.ts';
import { widthOf } from '../../../src/client/width.ts';

const plain = {
  deletion_requested_at: null,
  protected: false,
  paused: false,
  expires_at: null,
  deletion_policy: 'delete',
} as const;
const time = '2026-01-01T10:00:00.000Z';

describe('the marks of a resource', () => {
  it('are those of its options', () => {
    expect(guardsOf(plain)).toEqual([]);
    expect(guardsOf({ deletion_requested_at: null })).toEqual([]);
    const options = { protected: true, paused: true, deletion_policy: 'orphan' } as const;
    const all = { ...options, management: 'observed' } as const;
    const guarded = { ...plain, ...all, expires_at: time };
    expect(guardsOf(guarded)).toEqual(['protected', 'paused', 'expires', 'orphan', 'observed']);
    expect(guardsOf({ ...guarded, deletion_requested_at: time })).not.toContain('expires');
  });

  it('warn in the hour before the expiry', () => {
    const at = (hours: number) => Date.parse(time) - hours * 3_600_000;
    expect(expiresSoon({ ...plain, expires_at: time }, at(1.01))).toBe(false);
    expect(expiresSoon({ ...plain, expires_at: time }, at(1))).toBe(true);
    expect(expiresSoon({ ...plain, expires_at: time }, at(-1))).toBe(true);
    expect(expiresSoon(plain, at(0))).toBe(false);
  });

  it('are each one column wide, and different', () => {
    const looks = Object.values(guardLooks);
    expect(looks.map(({ sign }) => widthOf(sign))).toEqual(looks.map(() => 1));
    expect(new Set(looks.flatMap(({ sign, ascii }) => [sign, ascii])).size).toBe(looks.length * 2);
  });
});
