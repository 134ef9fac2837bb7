import { describe, expect, it } from 'vitest';
import { InvalidRequest } from '../../../../src/domain/errors.ts';
import type { Organization } from '../../../../src/domain/identity.ts';
import type {
  ProviderReply,
  ProviderRequest,
} from '../../../../src/domain/providers/provider-request.ts';
import { settingsIn } from '../../../../src/domain/schemas/setting-schema.ts';
import { createSettingsCheck, settingsAfter } from '../../../../src/http/request/settings-check.ts';
import type { SettingsRecord } from '../../../../src/store/providers/settings.ts';

const settings = settingsIn({
  type: 'object',
  properties: {
    region: { type: 'string', default: 'here' },
    size: { type: 'integer' },
    token: { type: 'string', sensitive: true },
    user: { type: 'string', sensitive: true },
  },
  required: ['token'],
});
const entry = (name: string, sensitive = false) => ({
  ...{ name, sensitive },
  ...{ setAt: '2026-01-01T00:00:00Z', setBy: 'ann' },
});
const record: SettingsRecord = {
  provider: 'shop',
  version: 'v1',
  servingVersion: 'v1',
  endpoint: undefined,
  secret: undefined,
  ownSecret: 'own',
  revision: 'r1',
  entries: [entry('size'), entry('token', true), entry('old', true)],
  values: { size: 3 },
};
const nothing = { set: [], remove: [] };
const setTo = (name: string, text: string) => ({
  ...nothing,
  set: [{ name, text, value: text, sensitive: name === 'token' }],
});

describe('the settings after a change', () => {
  it.each([
    ['nothing changes', nothing, { size: '3' }, ['token']],
    ['a secret value is set', setTo('token', 'new'), { size: '3', token: 'new' }, []],
    ['a value is added', setTo('region', 'there'), { region: 'there', size: '3' }, ['token']],
    ['a value is removed', { ...nothing, remove: ['size', 'token'] }, {}, []],
  ])('are those that the API knows, and the names of the others, when %s', (...row) => {
    const [, change, known, unchanged] = row;
    expect(settingsAfter(record, change, settings)).toEqual({ settings: known, unchanged });
  });

  it('are secret as the version declares it, also when the record still has a value', () => {
    const before = { entries: [entry('user')], values: { user: 'ann' } };
    expect(settingsAfter(before, nothing, settings)).toEqual({ settings: {}, unchanged: ['user'] });
  });
});

async function checked(reply: ProviderReply, records: readonly SettingsRecord[]) {
  const requests: ProviderRequest[] = [];
  const ask = (_of: Organization, request: ProviderRequest) => {
    requests.push(request);
    return Promise.resolve(reply);
  };
  const signal = new AbortController().signal;
  const check = createSettingsCheck(ask, { id: 'acme' } as Organization, signal);
  const change = setTo('token', 'hunter22');
  let thrown: unknown;
  for (const each of records) {
    await check({ record: each, change, settings }).catch((error: unknown) => {
      thrown = error;
    });
  }
  return { requests, thrown };
}

const works: ProviderReply = { kind: 'done', body: {} };

describe('the check of settings', () => {
  it('refuses with the sentence of the provider, without the value that was sent', async () => {
    const message = 'The store refuses hunter22';
    const { thrown } = await checked({ kind: 'refused', message }, [record]);
    expect(thrown).toBeInstanceOf(InvalidRequest);
    expect(thrown).toMatchObject({
      code: 'settings_refused',
      violations: [{ loc: ['body', 'values'], msg: 'The store refuses [masked]' }],
    });
  });

  it.each<ProviderReply>([
    works,
    { kind: 'unknown' },
    { kind: 'unavailable', message: 'No process is ready' },
  ])('refuses nothing when the provider answers %s', async (reply) => {
    expect((await checked(reply, [record])).thrown).toBeUndefined();
  });

  it('asks once, and again when another write came between', async () => {
    const { requests } = await checked(works, [record, record, { ...record, revision: 'r2' }]);
    expect(requests).toHaveLength(2);
    expect(requests[0]).toEqual({
      ...{ event_type: 'CHECK', provider: 'shop' },
      ...{ settings: { size: '3', token: 'hunter22' }, unchanged: [] },
    });
  });

  it.each([
    ['another version is wanted', { ...record, version: 'v2' }],
    ['nothing serves yet', { ...record, servingVersion: undefined }],
    ['nothing was deployed', { ...record, version: undefined, servingVersion: undefined }],
  ])('asks nobody while %s', async (_name, given) => {
    expect((await checked(works, [given])).requests).toEqual([]);
  });
});
