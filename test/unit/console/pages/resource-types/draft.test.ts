// What is typed into the form of a type, as an apply and as a file; and the list of types.
import { describe, expect, it } from 'vitest';
import type { ResourceDefinition } from '../../../../../src/api/shapes.ts';
import {
  type Draft,
  draftAsJson,
  draftDeclaration,
  draftFor,
  draftOf,
  madeOf,
} from '../../../../../src/console/pages/resource-types/draft.ts';
import {
  countsByType,
  typeGroups,
} from '../../../../../src/console/pages/resource-types/groups.ts';
import { typeOptionFields } from '../../../../../src/domain/type-options.ts';
import { bodyOf, defaultsOf } from '../../../../../src/lib/fields.ts';
import type { JsonObject } from '../../../../../src/lib/json.ts';

const defaults = defaultsOf(typeOptionFields);
const { observe: observable, ...options } = bodyOf(typeOptionFields, defaults);
const typeOf = (properties: JsonObject): ResourceDefinition => ({
  provider: 'box',
  resource: 'vault',
  description: '',
  schema: { type: 'object', properties },
  type_version: 1,
  outputs_schema: null,
  earlier_versions: [],
  ...options,
  observable,
  adopt_schema: null,
  identity: null,
  retired: false,
  tags: null,
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
});

const type = typeOf({
  key: { type: 'string', sensitive: true, default: 'secret' },
  size: { type: 'integer', default: 3 },
});

const draft: Draft = { ...draftOf(type), name: 'safe' };

describe('a new resource', () => {
  it('is an apply of what was typed, and nothing else', () => {
    expect(madeOf(draft).body).toEqual({
      provider: 'box',
      resource: 'vault',
      name: 'safe',
      config: { key: 'secret', size: 3 },
      lifecycle_state: 'pending',
    });
    const { body, problems } = madeOf({
      ...draft,
      state: 'draft',
      project: 'web',
      tags: ' a, b \n\n c',
      dependencies: ['box/crate/shelf', 'nonsense'],
    });
    expect(body).toMatchObject({
      project_id: 'web',
      lifecycle_state: 'draft',
      tags: ['a, b', 'c'],
      dependencies: [{ provider: 'box', resource: 'crate', name: 'shelf' }],
    });
    expect(problems).toEqual([{ path: '/dependencies/1', kind: 'reference' }]);
  });

  it('is a file without sensitive values, also when the config is a text', () => {
    const full: Draft = {
      ...draft,
      project: 'web',
      state: 'draft',
      tags: 'a',
      dependencies: ['x/y/z'],
    };
    const yaml = [
      'resource: box/vault/safe',
      'project: web',
      'state: draft',
      'tags:\n  - a',
      'dependencies:\n  - x/y/z',
      'config:\n  key: # hidden\n  size: 3\n',
    ].join('\n');
    expect(draftDeclaration(full)).toEqual({ yaml, isPartial: true });
    expect(draftDeclaration(draftAsJson(full)).yaml).toBe(yaml);
    expect(draftDeclaration(draftOf(typeOf({})))).toEqual({
      yaml: 'resource: box/vault/NAME\nconfig: {}\n',
      isPartial: false,
    });
  });

  it('keeps its config when the type changes, as a text where the fields cannot say it', () => {
    const more = typeOf({
      key: { type: 'string' },
      size: { type: 'integer' },
      more: { type: 'string' },
    });
    const other = typeOf({ key: { type: 'string' }, size: { type: 'string' } });
    for (const [changed, kind] of [
      [more, 'group'],
      [other, 'json'],
    ] as const) {
      const next = draftFor(draft, changed);
      expect(next.field.kind).toBe(kind);
      expect(madeOf(next).body.config).toEqual({ key: 'secret', size: 3 });
    }
  });

  it('has an object as its config', () => {
    const list: Draft = { ...draftAsJson(draft), input: { kind: 'text', text: '[1]' } };
    expect(madeOf(list).problems).toEqual([{ path: '/config', kind: 'object' }]);
  });
});

describe('the list of types', () => {
  const named = (
    provider: string,
    resource: string,
    description = '',
    tags = null as string[] | null,
  ) => ({
    ...{ provider, resource, description, tags },
  });
  const types = [
    named('box', 'vault', 'A safe place', ['storage']),
    named('box', 'crate'),
    named('air', 'balloon', 'Flies'),
  ];

  it.each([
    ['', 'air: balloon; box: crate, vault'],
    ['BOX', 'box: crate, vault'],
    ['storage  safe', 'box: vault'],
    ['safe flies', ''],
  ])('with %j is %j', (search, expected) => {
    const groups = typeGroups(types, search).map(
      (group) => `${group.provider}: ${group.types.map(({ resource }) => resource).join(', ')}`,
    );
    expect(groups.join('; ')).toBe(expected);
  });

  it('counts resources', () => {
    expect([...countsByType([...types, named('box', 'crate')])]).toEqual([
      ['box/vault', 1],
      ['box/crate', 2],
      ['air/balloon', 1],
    ]);
  });
});
