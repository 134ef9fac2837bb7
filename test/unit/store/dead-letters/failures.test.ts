// Which organizations have so many failures that their index is kept.
import { expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import type { ChangeHandler } from '../../../../src/kube/api.ts';
import { keepIndexesOfFailures } from '../../../../src/store/dead-letters/failures.ts';
import { aResource, inFlight } from '../../../support/fixtures/builders.ts';

it('begins with the 500th failure of a namespace, and ends with the 250th that is left', () => {
  let change: ChangeHandler<Resource> = () => undefined;
  const calls: string[] = [];
  keepIndexesOfFailures({
    resources: {
      onChange(handler) {
        change = handler;
        return () => undefined;
      },
    },
    indexes: {
      keep: (namespace) => calls.push(`keep ${namespace}`),
      release: (namespace) => calls.push(`release ${namespace}`),
    },
  });
  const pending = (namespace: string) => aResource({ metadata: { namespace } });
  const failed = (namespace: string) =>
    inFlight(
      {},
      { metadata: { namespace }, status: { state: 'failed', reason: 'ProviderFailed' } },
    );
  const fails = (namespace: string, count: number) => {
    for (let at = 0; at < count; at += 1) change('key', pending(namespace), failed(namespace));
  };

  fails('a', 499);
  fails('b', 499);
  // An update of a failed resource, and one of another, are no failures.
  change('key', failed('a'), failed('a'));
  change('key', undefined, pending('a'));
  expect(calls).toEqual([]);
  fails('a', 100);
  expect(calls).toEqual(['keep a']);
  for (let at = 0; at < 348; at += 1) change('key', failed('a'), pending('a'));
  expect(calls).toEqual(['keep a']);
  change('key', failed('a'), undefined);
  expect(calls).toEqual(['keep a', 'release a']);
  fails('a', 250);
  expect(calls).toEqual(['keep a', 'release a', 'keep a']);
});
