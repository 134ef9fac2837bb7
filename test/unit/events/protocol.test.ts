import { expect, it } from 'vitest';
import { eventBody, eventHeaders } from '../../../src/events/protocol.ts';
import { anEvent } from '../../support/servers/signing-fairlead.ts';

const now = new Date('2026-01-01T00:00:00.000Z');

it('has the event in the headers of CloudEvents in binary mode', () => {
  expect(eventHeaders(anEvent(), now)).toEqual({
    'content-type': 'application/json',
    'ce-specversion': '1.0',
    'ce-id': 'evt-1',
    'ce-type': 'dev.fairlead.resource.create',
    'ce-source': '/fairlead',
    'ce-subject': 'shop/cart/mine',
    'ce-time': '2026-01-01T00:00:00.000Z',
    'ce-datacontenttype': 'application/json',
    'ce-attempt': '1',
    'ce-sequence': '0000000000000007',
  });
});

it('has the trace of the event, when there is one', () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  expect(eventHeaders(anEvent({ traceparent }), now)).toMatchObject({ traceparent });
});

it('says that the event may end the process, as a boolean of RFC 9651', () => {
  const headers = eventHeaders(anEvent({ isSuspect: true }), now);
  expect(headers).toMatchObject({ 'fairlead-quarantine': '?1' });
});

it('pads delivery numbers so that text order is number order', () => {
  const [low, high] = [9, 10].map(
    (sequence) => eventHeaders(anEvent({ sequence }), now)['ce-sequence'],
  );
  expect(`${low}` < `${high}`).toBe(true);
});

it.each([
  ['CREATE', 'dev.fairlead.resource.create'],
  ['UPDATE', 'dev.fairlead.resource.update'],
  ['DELETE', 'dev.fairlead.resource.delete'],
] as const)('calls %s %s', (type, name) => {
  expect(eventHeaders(anEvent({ type }), now)['ce-type']).toBe(name);
});

it('uses the specified names in the body', () => {
  const event = anEvent({
    type: 'UPDATE',
    schemaVersion: 3,
    previousConfig: { size: 1 },
    previousSchemaVersion: 1,
    outputs: { url: 'x' },
    outputsSchemaVersion: 2,
    attempt: 2,
    sequence: 12,
    generation: 3,
    context: { operation: 'op-1' },
  });
  expect(eventBody(event)).toEqual({
    event_id: 'evt-1',
    event_type: 'UPDATE',
    organization_id: 'acme',
    project_id: 'default',
    provider: 'shop',
    resource: 'cart',
    name: 'mine',
    config: { size: 3 },
    schema_version: 3,
    previous_config: { size: 1 },
    previous_schema_version: 1,
    outputs: { url: 'x' },
    outputs_schema_version: 2,
    attempt: 2,
    sequence: 12,
    generation: 3,
    context: { operation: 'op-1' },
  });
});

it('sends null for fields that a first event lacks', () => {
  const sent = JSON.parse(JSON.stringify(eventBody(anEvent()))) as unknown;
  expect(sent).toMatchObject({ previous_config: null, context: null, outputs: {} });
});
