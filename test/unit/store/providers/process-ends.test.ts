// How many events of a provider end its process.
import { expect, it } from 'vitest';
import type { ClaimedEvent } from '../../../../src/crds/claimed-event.ts';
import type { Resource, ResourceStatus } from '../../../../src/crds/resource.ts';
import { annotation } from '../../../../src/store/kinds.ts';
import { withProcessEnds } from '../../../../src/store/providers/process-ends.ts';
import { inFlight } from '../../../support/fixtures/builders.ts';

const culprit: Partial<ClaimedEvent> = { crash: 'Culprit' };
const serving = { provider: 'postgres', message: 'Version 1 is serving' };
const shown = (...resources: readonly Resource[]) => withProcessEnds(resources)(serving).message;

function failed(state: 'failed' | 'ready', annotations: Record<string, string> = {}): Resource {
  const { metadata, status, ...resource } = inFlight(culprit);
  return {
    ...resource,
    metadata: { ...metadata, annotations },
    status: { ...status, state, reason: 'AttemptsExhausted' } as ResourceStatus,
  };
}

it('is said beside the message of the provider, and of no other', () => {
  expect(shown(inFlight())).toBe('Version 1 is serving');
  expect(shown(inFlight({ crash: 'Suspect' }))).toBe('Version 1 is serving');
  expect(shown(inFlight(culprit))).toBe('Version 1 is serving; 1 event ends its process');
  expect(shown(inFlight(culprit), failed('failed'))).toBe(
    'Version 1 is serving; 2 events end its process',
  );
  const other = { provider: 'other', message: '' };
  expect(withProcessEnds([inFlight(culprit)])(other)).toBe(other);
  expect(withProcessEnds([inFlight(culprit)])({ ...serving, message: '' }).message).toBe(
    '1 event ends its process',
  );
});

it('ends with a success, and with the removal of the dead letter', () => {
  expect(shown(failed('ready'))).toBe('Version 1 is serving');
  const { id } = inFlight(culprit).status?.event ?? { id: '' };
  expect(shown(failed('failed', { [annotation.dismissed]: `${id}/0` }))).toBe(serving.message);
});
