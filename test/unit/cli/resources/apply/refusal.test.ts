// What a refusal shows of the value that is wrong.
import { expect, it } from 'vitest';
import { type Refusal, refusalError } from '../../../../../src/cli/resources/apply/refusal.ts';
import { ApiError } from '../../../../../src/cli/terminal/errors/api-error.ts';

it.for([
  ['must be a whole number', 'big', 'must be a whole number, is "big"'],
  ["must be 'port'; did you mean 'port'?", 'prot', "must be 'port'; did you mean 'port'?"],
  ['"big" is no number', 'big', '"big" is no number'],
])('%s: %s', async ([msg, input, shown]) => {
  const violation = { loc: ['body', 'config', 'size'], type: 'value_error', msg, input };
  const body = { detail: [violation] };
  const answer = { method: 'POST', path: '/resources/apply', status: 422, requestId: undefined };
  const declaration = {
    ref: 'a/b/c',
    place: 'a.yaml:1:1',
    placeOf: () => 'a.yaml:2:3',
    again: '',
    body: { provider: 'a', resource: 'b' },
  } as unknown as Refusal['declaration'];
  const refusal = { declaration, error: new ApiError({ ...answer, body }) };
  const error = await refusalError([refusal], { api: {} as never, total: 1, nothing: '' });
  expect(error.facts).toEqual([['a.yaml:2:3', 'config.size', shown]]);
});
