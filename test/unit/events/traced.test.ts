// What a span says of a delivery that failed: the code as others may see it, since providers choose codes.
import { expect, it } from 'vitest';
import type { ProviderEndpoint } from '../../../src/events/dispatch.ts';
import type { Answer, OutgoingEvent } from '../../../src/events/protocol.ts';
import { tracedDispatch } from '../../../src/events/traced.ts';

const answer: Answer = { kind: 'failed', terminal: true, code: 'E_canary', message: '' };

it.each([
  ['the code', {}, 'E_canary'],
  ['no secret', { shownCode: () => 'masked' }, 'masked'],
])('ends with %s', async (_name, more, want) => {
  const ends: (string | undefined)[] = [];
  const span = {
    ...{ traceparent: '', rename: () => undefined, set: () => undefined },
    end: (code: string | undefined) => void ends.push(code),
  };
  const tracer = { start: () => span, close: () => Promise.resolve() };
  const dispatch = tracedDispatch(tracer, () => Promise.resolve(answer));
  const endpoint: ProviderEndpoint = { url: 'http://127.0.0.1:9', ...more };
  await dispatch({ type: 'CREATE' } as OutgoingEvent, endpoint, new AbortController().signal);
  expect(ends).toEqual([want]);
});
