import { expect, it } from 'vitest';
import { findCondition } from '../../../../src/crds/conditions.ts';
import type { Resource } from '../../../../src/crds/resource.ts';
import { defaultRetryPolicy } from '../../../../src/domain/retry.ts';
import { decide } from '../../../../src/reconcilers/resource/decide.ts';
import type { Observed } from '../../../../src/reconcilers/resource/observe.ts';
import { refused } from '../../../../src/reconcilers/resource/status/status.ts';
import {
  hasFailed,
  requeueAsked,
  resourceRecord,
  resourceState,
} from '../../../../src/store/resources/state.ts';
import {
  contentOfResource,
  inFlight,
  now,
  observing,
  readyResource,
} from '../../../support/fixtures/builders.ts';

// biome-ignore lint/suspicious/noTemplateCurlyInString: it is a reference
const reference = '${net/network/main.outputs.zone}';
const zone = { changedImmutables: [['zone']] } as const;
const other = { config: { zone: 'b' }, hash: 'new', unresolved: [] };
const missing = {
  to: { provider: 'net', resource: 'network', name: 'main' },
  path: ['zone'],
  text: reference,
  why: 'missing',
  offered: [],
  at: ['zone'],
} as const;

/** Its config was changed with kubectl. */
const changed = (): Resource => ({
  ...readyResource(),
  spec: { ...readyResource().spec, config: { zone: 'b' } },
});
const referring = (status = {}) =>
  readyResource({
    spec: { config: { zone: reference } },
    status: { references: 'old', ...status },
  });

const said =
  'config.zone has another value than what exists, and cannot change. Restore the value, or request a replacement: apply with replace=true, or raise spec.replace';

interface Case {
  readonly reason: string;
  readonly resource: Resource;
  readonly observed?: Partial<Observed>;
  readonly want: object;
}

const cases: Readonly<Record<string, Case>> = {
  'is refused before anything is claimed': {
    reason: 'No admission can know it, and nothing may be sent.',
    resource: changed(),
    observed: zone,
    want: { do: 'refuse', message: said, references: undefined },
  },
  'is refused while no provider is there': {
    reason: 'No provider can make it possible.',
    resource: changed(),
    observed: { ...zone, endpoint: undefined },
    want: { do: 'refuse' },
  },
  'is named with all its fields': {
    reason: 'All of them must be restored.',
    resource: changed(),
    observed: { changedImmutables: [['zone'], ['disk', 'kind']] },
    want: {
      message: expect.stringMatching(
        /^config\.zone; config\.disk\.kind have another value than what exists, and cannot change\. Restore the values,/,
      ),
    },
  },
  'is refused when the letter of an earlier failure is retried': {
    reason: 'The type may have marked the field since.',
    resource: readyResource({
      status: { state: 'failed', reason: 'ProviderFailed' },
      metadata: { annotations: { 'fairlead.dev/requeue': 'evt-1/1' } },
    }),
    observed: zone,
    want: { do: 'refuse' },
  },
  'is not refused twice': {
    reason: 'An idle resource is not written.',
    resource: readyResource({ status: { state: 'failed', reason: 'ImmutableField' } }),
    observed: zone,
    want: { do: 'nothing' },
  },
  'waits while paused': {
    reason: 'Somebody may be correcting it.',
    resource: { ...changed(), spec: { ...changed().spec, paused: true } },
    observed: zone,
    want: { do: 'explain', reason: 'Paused' },
  },
  'that a reference makes is refused, and names the reference': {
    reason: 'The config is the same: only the other resource has changed.',
    resource: referring(),
    observed: { ...zone, resolution: other },
    want: {
      do: 'refuse',
      message: said.replace('config.zone', `config.zone, which refers to ${reference},`),
      references: 'new',
    },
  },
  'that the same value makes is refused once': {
    reason: 'An idle resource is not written.',
    resource: referring({ state: 'failed', reason: 'ImmutableField', references: 'new' }),
    observed: { ...zone, resolution: other },
    want: { do: 'nothing' },
  },
  'that goes away leads to an event': {
    reason: 'The other output may have changed in other places, too.',
    resource: referring({ state: 'failed', reason: 'ImmutableField', references: 'new' }),
    observed: { resolution: { ...other, hash: 'old' } },
    want: { do: 'runAgain' },
  },
  'that an unready resource makes waits': {
    reason: 'Its outputs are about to change.',
    resource: referring(),
    observed: { ...zone, resolution: other, unready: [{ name: 'net/network/main', is: 'coming' }] },
    want: { do: 'nothing' },
  },
  'that an absent output makes waits': {
    reason: 'The other resource is being replaced, and has no outputs.',
    resource: referring(),
    observed: { resolution: { config: {}, hash: undefined, unresolved: [missing] } },
    want: { do: 'nothing' },
  },
  'that an output makes waits while paused': {
    reason: 'Nothing begins.',
    resource: { ...referring(), spec: { ...referring().spec, paused: true } },
    observed: { ...zone, resolution: other },
    want: { do: 'nothing' },
  },
};

it.each(Object.entries(cases))(
  'a change of an immutable field %s',
  (_name, { reason, resource, observed, want }) => {
    const decision = decide(observing(resource, observed), now, defaultRetryPolicy);
    expect(decision, reason).toMatchObject(want);
  },
);

const refusal = (resource: Resource, requeue?: number) => {
  const content = contentOfResource(resource);
  const why = { message: said, references: 'new', content, requeue };
  return { ...resource, status: refused(resource, why, now) };
};

it('is recorded as failed, without a dead letter, and keeps what exists', () => {
  const resource = refusal(changed());
  expect(resource.status).toMatchObject({
    state: 'failed',
    reason: 'ImmutableField',
    error: said,
    outputs: { url: 'x' },
    appliedConfig: readyResource().spec.config,
    references: 'new',
  });
  const types = resource.status?.conditions?.map(({ type, status }) => `${type}=${status}`);
  expect(types).toEqual(['Ready=False', 'Stalled=True']);
  expect(findCondition(resource.status?.conditions, 'Ready')?.message).toBe(said);
  expect(hasFailed(resource), 'a failure has a dead letter').toBe(false);
  expect(resourceRecord(resource)).toMatchObject({
    state: 'failed',
    reason: 'ImmutableField',
    message: said,
    error: said,
    attempt: null,
  });
});

it('answers the retry of a letter, which does not wait for ever', () => {
  const metadata = { annotations: { 'fairlead.dev/requeue': 'evt-1/2' } };
  const failed = inFlight({}, { metadata, status: { state: 'failed', reason: 'ProviderFailed' } });
  expect(resourceState(failed)).toBe('pending');
  const resource = refusal(failed, requeueAsked(failed));
  expect(requeueAsked(resource)).toBeUndefined();
  expect(resourceState(resource)).toBe('failed');
});
