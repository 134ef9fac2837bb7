// Which resources can be observed and corrected on request.
import { expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import {
  isCorrected,
  uncorrectable,
  unobservable,
  unsettled,
} from '../../../../src/store/resources/observation-requests.ts';
import { aResource, inFlight, readyResource } from '../../../support/fixtures/builders.ts';
import { changed } from '../../../support/fixtures/explanation/explained-resources.ts';

const only = { management: 'Observed' as const };
const drift = { drift: changed };

interface Case {
  readonly given: Resource;
  /** The codes of the refusals to observe and to correct. */
  readonly refused?: readonly [observing: string | undefined, correcting: string];
  /** Whether it has to be ready first to be observed. */
  readonly isUnsettled?: true;
  /** Whether an event follows a correction. */
  readonly isSent?: true;
}

const neither = ['not_observable', 'not_observable'] as const;

const cases: Record<string, Case> = {
  'a draft': {
    given: aResource({ spec: { lifecycle: 'Draft' } }),
    refused: neither,
    isUnsettled: true,
  },
  'one that never succeeded': { given: aResource(), refused: neither, isUnsettled: true },
  'one that is being created': { given: inFlight(), refused: neither, isUnsettled: true },
  'one that is ready': { given: readyResource() },
  'one that has drifted': { given: readyResource({ status: drift }), isSent: true },
  'one that is gone': {
    given: readyResource({ status: { drift: { ...changed, kind: 'Gone' } } }),
    isSent: true,
  },
  'one whose update failed': {
    given: readyResource({ status: { ...drift, state: 'failed' } }),
    isUnsettled: true,
  },
  'one that is being corrected': {
    given: inFlight({}, { status: { ...drift, appliedConfig: { name: 'orders' } } }),
    isUnsettled: true,
  },
  'one that was applied since': {
    given: readyResource({ status: { ...drift, content: 'of before' } }),
    isUnsettled: true,
  },
  'one that is only observed, and not found': {
    given: aResource({ spec: only }),
    refused: [undefined, 'conflict'],
  },
  'one that is only observed, and drifted': {
    given: readyResource({ spec: only, status: drift }),
    refused: [undefined, 'conflict'],
  },
};

it.each(Object.entries(cases))(
  '%s',
  (_name, { given, refused = [], isUnsettled = false, isSent = false }) => {
    expect(unsettled(given) !== undefined).toBe(isUnsettled);
    expect([unobservable(given)?.code, uncorrectable(given)?.code]).toEqual([
      refused[0],
      refused[1],
    ]);
    expect(uncorrectable(given) === undefined && isCorrected(given)).toBe(isSent);
  },
);
