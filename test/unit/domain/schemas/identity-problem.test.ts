import { describe, expect, it } from 'vitest';
import {
  identityProblem,
  optionalMembers,
} from '../../../../src/domain/schemas/identity-problem.ts';

const text = { type: 'string' };
const object = (properties: object): object => ({ type: 'object', properties });
const byId = { outputs: { id: '/id' }, adopt: { id: '/id' } };
const adopt = object({ id: text });

interface Case {
  readonly identity?: typeof byId;
  readonly outputs?: object;
  readonly adopt?: object | undefined;
  readonly want: string | undefined;
}

const guessed = 'and a short secret can be guessed from the stored digest of the identity';
const cases: Record<string, Case> = {
  'fits outputs and adopt': { outputs: object({ id: text }), want: undefined },
  'is not checked without schemas': { adopt: undefined, want: undefined },
  'may be a number': { outputs: object({ id: { type: 'integer' } }), want: undefined },
  'may be missing in some outputs': {
    outputs: object({ id: { type: ['string', 'null'] } }),
    want: undefined,
  },
  'has a member that adopt lacks': {
    identity: { outputs: { id: '/id' }, adopt: {} } as never,
    want: 'adopt: Member id is missing',
  },
  'has a member that outputs lack': {
    identity: { outputs: {}, adopt: { id: '/id' } } as never,
    want: 'outputs: Member id is missing',
  },
  'points to nothing': {
    outputs: { ...object({ url: text }), additionalProperties: false },
    want: 'outputs.id: The schema of outputs has nothing at /id',
  },
  'points to an object': {
    outputs: object({ id: object({}) }),
    want: 'outputs.id: What is at /id is no text, number or boolean',
  },
  'points to a secret of the outputs': {
    outputs: object({ id: { ...text, sensitive: true } }),
    want: `outputs.id: What is at /id is secret, ${guessed}`,
  },
  'points to a secret of adopt': {
    adopt: object({ id: { ...text, format: 'password' } }),
    want: `adopt.id: What is at /id is secret, ${guessed}`,
  },
  'points into a secret': {
    identity: { outputs: { id: '/key/id' }, adopt: { id: '/id' } },
    outputs: object({ key: { ...object({ id: text }), writeOnly: true } }),
    want: `outputs.id: What is at /key/id is secret, ${guessed}`,
  },
  'points to what may be secret, in a schema that is too large to tell': {
    outputs: {
      ...object({ id: text }),
      allOf: [...Array.from({ length: 80_000 }, () => ({})), object({ id: { sensitive: true } })],
    },
    want: `outputs.id: What is at /id is secret, ${guessed}`,
  },
  'points to a secret of one of two forms, in a list': {
    identity: { outputs: { id: '/ids/0' }, adopt: { id: '/id' } },
    outputs: object({
      ids: { type: 'array', items: { anyOf: [text, { ...text, sensitive: true }] } },
    }),
    want: `outputs.id: What is at /ids/0 is secret, ${guessed}`,
  },
};

describe('an identity', () => {
  it.each(Object.entries(cases))('%s', (_name, { identity = byId, want, ...schemas }) => {
    const found = identityProblem(identity, { adopt, ...schemas } as never);
    expect(found && `${found.loc.join('.')}: ${found.problem}`).toBe(want);
  });
});

const required = (properties: object) => ({
  ...object(properties),
  required: Object.keys(properties),
});
const lacking: Record<string, readonly [object, readonly string[]]> = {
  'a required text': [required({ id: text }), []],
  'a text that need not be there': [object({ id: text }), ['/id']],
  'a text or null': [required({ id: { anyOf: [text, { type: 'null' }] } }), ['/id']],
};
it.each(Object.entries(lacking))('outputs may lack %s', (_name, [schema, want]) => {
  expect(optionalMembers(byId, schema as never)).toEqual(want);
});
it('outputs may lack a member of an object that need not be there, or that no schema describes', () => {
  const nested = { outputs: { id: '/cloud/id' }, adopt: { id: '/id' } };
  const cloud = required({ id: text });
  const found = [required({ cloud }), object({ cloud }), object({})].map((schema) =>
    optionalMembers(nested, schema as never),
  );
  expect(found).toEqual([[], ['/cloud/id'], ['/cloud/id']]);
});
