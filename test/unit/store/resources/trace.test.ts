// The trace of an apply belongs to the content that it wrote.
import { expect, it } from 'vitest';
import { contentHashOf } from '../../../../src/store/resources/content.ts';
import { traceOf, traceparentFor } from '../../../../src/store/resources/trace.ts';
import { aResource } from '../../../support/fixtures/builders.ts';

const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
const { spec } = aResource({});
const content = contentHashOf(spec);
const stored = (annotation: string) =>
  aResource({ metadata: { annotations: { 'fairlead.dev/traceparent': annotation } } });

it('is that of the events of this content, but not of a deletion', () => {
  const resource = stored(traceOf(traceparent, spec));
  expect(traceparentFor(resource, { type: 'CREATE', content })).toBe(traceparent);
  expect(traceparentFor(resource, { type: 'UPDATE', content })).toBe(traceparent);
  expect(traceparentFor(resource, { type: 'DELETE', content })).toBeUndefined();
});

it('is not that of other content, which kubectl wrote', () => {
  const resource = stored(traceOf(traceparent, spec));
  expect(traceparentFor(resource, { type: 'UPDATE', content: 'other' })).toBeUndefined();
});

it.each(['', traceparent, `x ${content}`])('is missing when the annotation is %j', (annotation) => {
  expect(traceparentFor(stored(annotation), { type: 'CREATE', content })).toBeUndefined();
});
