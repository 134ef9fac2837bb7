import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../../../src/crds/resource.ts';
import { storedBytes } from '../../../../../src/domain/stored-size.ts';
import type { JsonObject } from '../../../../../src/lib/json.ts';
import {
  appliedBytes,
  refusalToStore,
} from '../../../../../src/store/resources/apply/storage-limit.ts';
import { aClaim, aResource } from '../../../../support/fixtures/builders.ts';

type Config = Resource['spec']['config'];

const KiB = 1_024;
/** The largest config in the documented unit, 256 KiB of compact JSON. */
const configBytes = 256 * KiB;
const ofText = (text: string, count: number) => ({ text: text.repeat(count) });

function manyMembers(): JsonObject {
  const members: Record<string, number> = {};
  for (let n = 0; n < configBytes / 10; n += 1) members[n.toString(36)] = 1;
  return members;
}

function refusal(config: JsonObject, more: { applied?: number; before?: JsonObject } = {}) {
  const { applied = appliedBytes(config), before } = more;
  const status = before === undefined ? {} : { appliedConfig: before as Config, outputs: {} };
  return refusalToStore(aResource({ spec: { config: config as Config }, status }), applied);
}

describe('the largest config', () => {
  it.each([
    ['ASCII', ofText('x', configBytes - 11)],
    ['quotes', ofText('"', (configBytes - 11) / 2)],
    ['other scripts', ofText('क', (configBytes - 11) / 3)],
    ['many short members', manyMembers()],
  ])('fits with %s, with every success and failure', (_what, config) => {
    expect(Buffer.byteLength(JSON.stringify(config))).toBeLessThanOrEqual(configBytes);
    expect(refusal(config)).toBeUndefined();
    expect(refusal(config, { before: config })).toBeUndefined();
  });
});

describe('a config that is larger in etcd', () => {
  it('is refused with its size, the limit and the remedy', () => {
    const message = refusal(ofText('<', 140_000));
    expect(message).toMatch(
      /^The config is too large to be stored: the resource may need 19\d{5} bytes of at most 1568768\..* each <, > and & in it takes 6 bytes\. Make the config smaller/,
    );
  });

  it('is accepted while both copies and the outputs fit', () => {
    expect(refusal(ofText('<', 100_000))).toBeUndefined();
  });

  it('is refused by what was applied before, too: a failure leaves it in place', () => {
    const before = ofText('<', 110_000);
    expect(refusal(ofText('<', 90_000))).toBeUndefined();
    expect(refusal(ofText('<', 120_000), { applied: 2, before })).toBeDefined();
  });
});

describe('the errors of attempts', () => {
  const errors = Array.from({ length: 20 }, (_, index) => ({
    attempt: index + 1,
    error: '<'.repeat(200),
    failedAt: '2026-01-31T12:00:00.000Z',
  }));
  const resourceWith = (event: object, size: number) =>
    aResource({
      spec: { config: ofText('x', size) as Config },
      status: { event: aClaim(event) },
    });

  it('take no room twice, so that a config which was accepted for the first attempt is for the last', () => {
    const size = 800_000;
    const first = refusalToStore(resourceWith({ attempt: 5, errors: [] }, size), size);
    expect(first).toContain('the resource may need');
    expect(refusalToStore(resourceWith({ attempt: 5, errors }, size), size)).toBe(first);
  });

  it('fit into the room for a failure, beside everything else that one leaves', () => {
    const config = ofText('<', 130_000) as Config;
    const spec = { config };
    const before = aResource({ spec, status: { appliedConfig: config } });
    const [, predicted] = /may need (\d+) bytes/.exec(refusalToStore(before, 2) ?? '') ?? [];
    const error = '<'.repeat(4_096);
    const conditions = ['Ready', 'Stalled', 'DeadLettered'].map((type) => ({
      ...{ type, status: 'True' as const, reason: 'X', message: error },
      lastTransitionTime: '2026-01-31T12:00:00Z',
    }));
    const event = aClaim({ errors, context: { text: '<'.repeat(16_384) } });
    const status = { appliedConfig: config, error, conditions, event };
    expect(storedBytes(aResource({ spec, status }))).toBeLessThan(Number(predicted));
  });
});

describe('inserted outputs', () => {
  it('count where they are inserted', () => {
    const config = { size: 1 };
    expect(refusal(config, { applied: 1_024 * KiB })).toBeUndefined();
    expect(refusal(ofText('x', 200 * KiB), { applied: 1_224 * KiB })).toBeDefined();
  });

  it('may be smaller than the references', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a reference
    const config = { a: '<${box/crate/one.outputs.url}>' };
    expect(appliedBytes(config)).toBeLessThanOrEqual(Buffer.byteLength('{"a":"\\u003c\\u003e"}'));
  });
});
