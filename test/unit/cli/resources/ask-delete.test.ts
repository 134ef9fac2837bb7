// The question before named resources are deleted: a person is asked where data is lost, and a script is not.
import { expect, it } from 'vitest';
import type { ResourceRecord } from '../../../../src/api/shapes.ts';
import { mayDelete } from '../../../../src/cli/resources/ask-delete.ts';
import type { Invocation } from '../../../../src/cli/session/invocation.ts';
import { resourceRecord } from '../../../support/clients/client-records.ts';

const shop = resourceRecord('shop');
const kept = resourceRecord('kept', { deletion_policy: 'orphan' });

async function questionsFor(records: readonly ResourceRecord[], flags: string, canAsk: boolean) {
  const asked: string[] = [];
  const on = (flag: string) => flags.split(' ').includes(flag);
  const confirm = (question: string) => {
    asked.push(question);
    return Promise.resolve(false);
  };
  const invocation = {
    ...{ flags: { on }, globals: { on }, talk: { note: () => undefined } },
    questions: { canAsk, confirm },
  };
  const may = await mayDelete(invocation as unknown as Invocation, { records, isExact: true });
  expect(may).toBe(asked.length === 0);
  return asked;
}

it.each<[string, readonly ResourceRecord[], string, string[]]>([
  ['one', [shop], '', ['Delete postgres/database/shop and what it contains?']],
  [
    'one of two that holds data',
    [kept, shop],
    '',
    ['Delete postgres/database/shop and what it contains?'],
  ],
  ['several', [shop, shop], '', ['Delete 2 resources and what they contain?']],
  ['one whose object stays', [kept], '', []],
  ['one whose object is to stay', [shop], 'orphan', []],
  ['a draft', [resourceRecord('shop', { lifecycle_state: 'draft' })], '', []],
  ['what the server refuses', [resourceRecord('shop', { protected: true })], '', []],
])('asks a person about %s', async (_which, records, flags, questions) => {
  expect(await questionsFor(records, flags, true)).toEqual(questions);
  expect(await questionsFor(records, flags, false)).toEqual([]);
});
