import { describe, expect, it } from 'vitest';
import {
  fromReceiptObject,
  type Receipt,
  type ReceiptObject,
  toReceiptObject,
} from '../../../../src/store/dead-letters/orphan-receipt-object.ts';
import { now } from '../../../support/fixtures/builders.ts';

function aReceipt(changes: Partial<Receipt> = {}): Receipt {
  return {
    uid: '6a1c1f0e-7f0b-4c8e-9a53-0b2b7b0e1d2f',
    namespace: 'fl-acme-0123456789ab',
    organizationId: 'acme',
    provider: 'postgres',
    resourceType: 'database',
    resourceName: 'orders',
    projectId: 'default-0123456789ab',
    config: { password: '[masked]' },
    outputs: { host: 'db1' },
    error: 'REFUSED: no route',
    reason: 'Forced',
    eventId: 'evt-0123456789abcdef0123456789abcdef',
    at: now,
    protected: false,
    terminating: false,
    ...changes,
  };
}

const text = (bytes: number) => ({ text: 'x'.repeat(bytes) });

describe('a receipt', () => {
  it('is read as written, wherever it is kept', () => {
    const { terminating: _how, ...receipt } = aReceipt();
    const read = fromReceiptObject(toReceiptObject(aReceipt(), 'fairlead-system'));
    expect(read).toEqual({ ...receipt, id: `receipt-${receipt.uid}`, omitted: [] });
  });

  it('is valid without an error and an event', () => {
    const written = toReceiptObject(aReceipt({ error: null, eventId: undefined }), 'ns');
    expect(fromReceiptObject(written)).toMatchObject({ error: null, eventId: undefined });
  });

  it.each<[Partial<Receipt>, readonly string[]]>([
    [{ outputs: text(256 * 1_024), config: text(256 * 1_024) }, []],
    [{ outputs: text(900 * 1_024) }, ['outputs']],
    [{ outputs: {}, config: text(900 * 1_024) }, ['config', 'outputs']],
  ])('stays below the limit of a ConfigMap (case %#)', (changes, omitted) => {
    const written = toReceiptObject(aReceipt(changes), 'ns');
    expect(Buffer.byteLength(JSON.stringify(written))).toBeLessThan(1_000_000);
    expect(fromReceiptObject(written)).toMatchObject({ omitted });
  });

  const changed = (data: Record<string, string>): ReceiptObject => {
    const object = toReceiptObject(aReceipt(), 'ns');
    return { ...object, data: { ...object.data, ...data } };
  };

  it.each<[string, ReceiptObject]>([
    ['has no label', { ...changed({}), metadata: { ...changed({}).metadata, labels: {} } }],
    ['speaks of another uid', changed({ resource_uid: 'other' })],
    ['has an unknown reason', changed({ reason: 'Boredom' })],
    ['has no time', changed({ created_at: '' })],
    ['names no resource', changed({ resource_name: '' })],
    ['has no data', { metadata: changed({}).metadata }],
  ])('that %s is invalid', (_name, object) => {
    expect(fromReceiptObject(object)).toBeUndefined();
  });
});
