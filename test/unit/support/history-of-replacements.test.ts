// The oracle of the fault tests knows what a replacement may do, and finds what it may not.
import { expect, it } from 'vitest';
import type { ClaimedEvent } from '../../../src/crds/claimed-event.ts';
import type { ResourceStatus } from '../../../src/crds/resource.ts';
import { type EventType, eventId } from '../../../src/domain/event.ts';
import type { Delivery, History } from '../../support/faults/history/model.ts';
import {
  applied,
  born,
  broken,
  claim,
  delivery,
  done,
  large,
  ready,
  small,
  uid,
  version,
} from '../../support/faults/history/written.ts';
import { aResource, contentOfResource } from '../../support/fixtures/builders.ts';

const content = contentOfResource(aResource({ spec: { config: large } }));
const idOf = (type: EventType) => eventId({ uid, generation: 2, content }, type);

const at = (status: Partial<ResourceStatus> & { id?: string }) =>
  version({ config: large, generation: 2, status });
const half = (type: EventType, status: Partial<ResourceStatus> = {}) => {
  const event: ClaimedEvent = {
    ...{ id: idOf(type), type, content, declared: content, generation: 2 },
    ...{ attempt: 1, sequence: 1, startedAt: 'x', replacement: 1 },
  };
  return at({ reason: 'Replacing', event, ...status });
};
const sent = (type: EventType, sequence: number, changes: Partial<Delivery> = {}) =>
  delivery({ eventId: idOf(type), eventType: type, generation: 2, sequence, ...changes });

const deletion = half('DELETE', { outputs: ready.outputs, appliedConfig: small });
const creation = half('CREATE');
const first = [born(), claim(), done(), at({ ...ready, content: 'of the former' })];
const calls = [applied(small), applied(large, { invokedAt: 2, endedAt: 3 })];
const deliveries = [
  delivery(),
  sent('DELETE', 2, { answered: { status: 200, outputs: {} } }),
  sent('CREATE', 3),
];
const end = half('CREATE', ready);
const whole: Partial<History> = {
  calls,
  versions: [...first, deletion, creation, end],
  deliveries,
};

it('a replacement violates nothing', () => {
  expect(broken(whole)).toEqual([]);
});

const kept = half('CREATE', { outputs: ready.outputs });
const refused = sent('DELETE', 2, { answered: { status: 500 } });
const wrong: Readonly<Record<string, readonly [Partial<History>, RegExp]>> = {
  'a new object before the old one is gone': [
    { deliveries: [delivery(), refused, sent('CREATE', 3)] },
    /^I5 .* was claimed before anything was deleted$/,
  ],
  'a new object without a deletion': [
    { versions: [...first, creation, end] },
    /^I5 .* was claimed before anything was deleted$/,
  ],
  'outputs of the old object between the two': [
    { versions: [...first, deletion, kept, end] },
    /^I5 .* has outputs or a config of what is gone$/,
  ],
  'outputs that are lost with another event': [
    { versions: [...first, half('DELETE'), creation, end] },
    /^I4 outputs changed together with the event/,
  ],
};

it.each(Object.entries(wrong))('%s is detected', (_name, [changes, says]) => {
  expect(broken({ ...whole, ...changes })).toContainEqual(expect.stringMatching(says));
});
