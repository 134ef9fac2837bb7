// What other resources explain: the one that a misspelt dependency means, and the one whose event ended the process.
import { expect, it } from 'vitest';
import { meantBy } from '../../../src/domain/meant.ts';
import { culpritBeside } from '../../../src/explanation/observe.ts';
import { aClaim } from '../../support/fixtures/builders.ts';
import { named } from '../../support/fixtures/explanation/explained-resources.ts';

const on = (provider: string, resource: string, name: string) => ({ provider, resource, name });
const all = [
  on('postgres', 'database', 'first'),
  on('postgres', 'database', 'second'),
  on('crates', 'greeting', 'first'),
];

it.each([
  ['a misspelt name', on('postgres', 'database', 'frist'), 'postgres/database/first'],
  ['a misspelt type', on('crates', 'greting', 'first'), 'crates/greeting/first'],
  ['a misspelt provider', on('postgers', 'database', 'second'), 'postgres/database/second'],
  ['another name', on('postgres', 'database', 'shop'), undefined],
  ['two misspelt parts', on('postgers', 'database', 'frist'), undefined],
])('finds what %s means', (_name, dependency, meant) => {
  expect(meantBy(dependency, all)).toBe(meant);
});

const failed = (name: string, error: string, crash?: 'Suspect' | 'Culprit') =>
  named(name, {
    state: 'failed',
    reason: 'AttemptsExhausted',
    error,
    event: aClaim({ attempt: 5, ...(crash && { crash }) }),
    metadata: { uid: `uid-${name}` },
  });
const lost = failed('lost', 'CONNECTION_LOST: lost');
const crash = failed('crash', 'CRASHED: Boom', 'Culprit');
const options = { maxAttempts: () => 5, isVisible: () => true };

it('finds the event that ended the process, and takes no suspect for it', () => {
  const suspect = failed('suspect', 'CRASHED: Boom', 'Suspect');
  expect(culpritBeside(lost, [lost, suspect, crash], options)).toBe('postgres/database/crash');
  expect(culpritBeside(lost, [lost, suspect], options)).toBeUndefined();
  // An event is not beside itself, and other providers have other processes.
  expect(culpritBeside(crash, [crash], options)).toBeUndefined();
  const elsewhere = { ...crash, spec: { ...crash.spec, provider: 'crates' } };
  expect(culpritBeside(lost, [elsewhere], options)).toBeUndefined();
  const hidden = { ...options, isVisible: () => false };
  expect(culpritBeside(lost, [crash], hidden)).toBeUndefined();
});
