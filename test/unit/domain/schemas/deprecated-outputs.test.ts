import { describe, expect, it } from 'vitest';
import {
  fromProblem,
  readableOutputs,
  readableSecrets,
  replacementOf,
} from '../../../../src/domain/schemas/deprecated-outputs.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';

const text = { type: 'string' };
const old = (from: unknown, more: object = {}) => ({
  ...text,
  ...{ deprecated: true, 'x-from': from },
  ...more,
});
const outputsOf = (properties: object, more: object = {}) =>
  ({ type: 'object', properties, additionalProperties: false, ...more }) as unknown as JsonObject;
const renamed = outputsOf({ bucketName: text, name: old('/bucketName') });

describe('references to a deprecated output', () => {
  it.each([
    ['are answered from the output that replaces it', { bucketName: 'b' }, 'b'],
    ['are so where outputs have both', { bucketName: 'b', name: 'a' }, 'b'],
    ['read what an earlier version stored', { name: 'a' }, 'a'],
    ['find nothing where there is neither', {}, undefined],
  ])('%s', (_, outputs, expected) => {
    expect(readableOutputs(outputs, renamed)['name']).toBe(expected);
  });

  it('to its new name read what an earlier version stored, too', () => {
    expect(readableOutputs({ name: 'a' }, renamed)).toEqual({ name: 'a', bucketName: 'a' });
    const twice = outputsOf({ bucketName: text, name: old('/bucketName'), id: old('/bucketName') });
    expect(readableOutputs({ name: 'a' }, twice)).toEqual({ name: 'a', bucketName: 'a', id: 'a' });
  });

  it('are answered from a member of an output, too', () => {
    const nested = outputsOf({
      bucket: { type: 'object', properties: { 'a/b': text } },
      name: old('/bucket/a~1b'),
    });
    expect(readableOutputs({ bucket: { 'a/b': 'x' } }, nested)).toMatchObject({ name: 'x' });
  });

  it('read the outputs as they are, once the old name is gone, and of a type without a schema', () => {
    const outputs = { bucketName: 'b' };
    expect(readableOutputs(outputs, renamed)).toEqual({ bucketName: 'b', name: 'b' });
    expect(readableOutputs(outputs, outputsOf({ bucketName: text }))).toBe(outputs);
    expect(readableOutputs(outputs, undefined)).toBe(outputs);
  });

  it.each([
    ['the output itself', ['/bucketName'], ['/bucketName', '/name']],
    ['a part of it', ['/bucketName/key'], ['/bucketName/key', '/name/key']],
    ['all outputs', [''], ['', '/name', '/bucketName']],
    ['another output', ['/other'], ['/other']],
    ['the old name', ['/name'], ['/name', '/bucketName']],
  ])('are secret where the marks are of %s', (_, places, expected) => {
    expect(readableSecrets(places, renamed)).toEqual(expected);
  });

  it('is secret as a whole where more is secret than can be named', () => {
    const places = Array.from({ length: 101 }, (_, at) => `/bucketName/${at}`);
    expect(readableSecrets(places, renamed)).toEqual([...places, '/name']);
  });

  it('say what replaces it', () => {
    expect(replacementOf(['name'], renamed)).toEqual(['bucketName']);
    expect(replacementOf(['bucketName'], renamed)).toBe(undefined);
    const plain = outputsOf({ name: { ...text, deprecated: true } });
    expect(replacementOf(['name', 'deep'], plain)).toEqual([]);
  });
});

const cases: Record<string, [schema: JsonObject, at: string, problem: string]> = {
  'names an output that there is not': [
    outputsOf({ name: old('/bucket') }),
    '/properties/name/x-from',
    'The schema of the outputs has nothing at /bucket',
  ],
  'is not deprecated': [
    outputsOf({ bucketName: text, name: old('/bucketName', { deprecated: false }) }),
    '/properties/name/x-from',
    'An output that another one replaces is deprecated: add deprecated: true',
  ],
  'is required': [
    outputsOf({ bucketName: text, name: old('/bucketName') }, { required: ['name'] }),
    '/properties/name/x-from',
    'References to name are answered from the other output: make it optional',
  ],
  'names itself': [
    outputsOf({ name: old('/name') }),
    '/properties/name/x-from',
    'name is replaced itself: name the output that replaces it',
  ],
  'names another old output': [
    outputsOf({ b: text, a: old('/b'), name: old('/a') }),
    '/properties/name/x-from',
    'a is replaced itself: name the output that replaces it',
  ],
  'is no pointer': [
    outputsOf({ bucketName: text, name: old('bucketName') }),
    '/properties/name/x-from',
    'Name the output that replaces it by its JSON Pointer, such as /bucketName',
  ],
  'is a member of an output': [
    outputsOf({ b: text, all: { type: 'object', properties: { name: old('/b') } } }),
    '/properties/all/properties/name/x-from',
    'Only a member of the outputs themselves can be answered from another output',
  ],
  'is in one of several forms': [
    outputsOf({ b: text }, { anyOf: [{ properties: { name: old('/b') } }] }),
    '/anyOf/0/properties/name/x-from',
    'Only a member of the outputs themselves can be answered from another output',
  ],
};

describe('a deprecated output is refused that', () => {
  it.each(Object.entries(cases))('%s', (_, [schema, at, problem]) => {
    expect(fromProblem(schema, 'outputs')).toEqual({ at, problem });
  });

  it('is none', () => {
    expect(fromProblem(renamed, 'config')).toEqual({
      at: '/properties/name/x-from',
      problem: 'Only an output can be answered from another one',
    });
    expect(fromProblem(renamed, 'outputs')).toBe(undefined);
  });
});
