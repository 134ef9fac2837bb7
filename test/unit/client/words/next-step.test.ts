import { expect, it } from 'vitest';
import { commandFor } from '../../../../src/client/words/next-step.ts';

const [resource, provider, why] = ['postgres/database/orders', 'postgres', ''];

it.each([
  ['correct', 'fairlead correct postgres/database/orders'],
  ['apply_actual', 'fairlead apply postgres/database/orders --from-actual'],
  ['observe', 'fairlead observe postgres/database/orders'],
  ['release_corrections', 'fairlead provider release-corrections postgres'],
  ['ask_editor', undefined],
] as const)('the command of %s is %s', (step, command) => {
  expect(commandFor({ do: step, why, resource, provider })).toBe(command);
  // A step about many resources names none.
  expect(commandFor({ do: step, why })).toBeUndefined();
});
