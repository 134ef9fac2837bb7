import { describe, expect, it } from 'vitest';
import { CreateProject } from '../../../../src/api/schemas/projects.ts';
import { ApplyResource, ListResources } from '../../../../src/api/schemas/resources.ts';
import { namesAt, nearestName, unknownName } from '../../../../src/http/request/known-names.ts';

const inList = Object.keys(ListResources.shape);
const inApply = namesAt(ApplyResource, []);

const near: readonly (readonly [string, readonly string[], string | undefined])[] = [
  ['provder', inList, 'provider'],
  ['porvider', inList, 'provider'],
  ['Provider', inList, 'provider'],
  ['tag', inList, 'tags'],
  ['state', inList, 'lifecycle_state'],
  ['lifecycleState', inList, 'lifecycle_state'],
  ['project-id', inList, 'project_id'],
  ['project', inList, 'project_id'],
  ['forced', ['force'], 'force'],
  ['id', namesAt(CreateProject, []), 'project_id'],
  ['conf', inApply, 'config'],
  ['dependencys', inApply, 'dependencies'],
  ['size', inList, undefined],
  ['colour', inList, undefined],
  ['x', ['all'], undefined],
  ['', inList, undefined],
  ['id', ['project_id', 'event_id'], undefined],
  [`provider${'r'.repeat(100)}`, inList, undefined],
  ['__proto__', inList, undefined],
];

it.each(near)('%j of %j is %j', (given, known, expected) => {
  expect(nearestName(given, known)).toBe(expected);
});

describe('the fields of a body', () => {
  it('are the suggestions', () => {
    expect(inApply).toContain('lifecycle_state');
    for (const ignored of ['id', 'outputs', 'created_at']) expect(inApply).not.toContain(ignored);
  });

  it('are found within lists and objects', () => {
    expect(namesAt(ApplyResource, ['dependencies', 0])).toEqual(['provider', 'resource', 'name']);
    expect(namesAt(ApplyResource, ['config', 'x'])).toEqual([]);
    expect(namesAt(ApplyResource, ['nowhere', 'x'])).toEqual([]);
  });
});

it('lists all known names when none is similar', () => {
  const { msg } = unknownName(['body', 'colour'], ['name', 'project_id'], 'red');
  expect(msg).toBe('Extra inputs are not permitted; allowed: name, project_id');
  expect(unknownName(['query', 'a'], [], '').msg).toMatch(/no names are allowed$/);
});
