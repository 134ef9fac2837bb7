// Names of projects: which ids they mean, and by which name a project is shown.
import { describe, expect, it } from 'vitest';
import type { Project } from '../../../../src/crds/project.ts';
import { InvalidRequest } from '../../../../src/domain/errors.ts';
import { defaultProjectId, organizationOf } from '../../../../src/domain/identity.ts';
import { projectIdIn } from '../../../../src/http/request/project.ts';
import { createProjectNames } from '../../../../src/store/projects/names.ts';

const organization = organizationOf('https://id.test', 'acme');
const ofDefault = defaultProjectId(organization);
const platform = [ofDefault, 'default'] as const;

type Row = readonly [id: string, name: string];

const objectOf = ([projectId, displayName]: Row): Project =>
  ({ metadata: { name: projectId }, spec: { projectId, displayName } }) as Project;

function namesOf(cached: readonly Row[], stored: readonly Row[] = cached) {
  return createProjectNames({
    client: { list: () => Promise.resolve({ metadata: {}, items: stored.map(objectOf) }) } as never,
    cache: { items: () => cached.map(objectOf), onChange: () => () => undefined },
  });
}

interface Case {
  readonly projects: readonly Row[];
  readonly text: string;
  readonly id: string;
  /** How the project is shown. */
  readonly shown: string;
  readonly reason: string;
}

const cases: Record<string, Case> = {
  'of the platform': {
    ...{ projects: [platform], text: 'default', id: ofDefault, shown: 'default' },
    reason: 'Its id has a hash that differs between environments.',
  },
  'of the platform by its id': {
    ...{ projects: [platform], text: ofDefault, id: ofDefault, shown: 'default' },
    reason: 'Files of before have the id.',
  },
  'of the platform while it is missing': {
    ...{ projects: [], text: 'default', id: ofDefault, shown: 'default' },
    reason: 'It is restored.',
  },
  'of a user': {
    ...{
      projects: [['web-1a2b', 'Web shop']],
      text: 'Web shop',
      id: 'web-1a2b',
      shown: 'Web shop',
    },
    reason: 'Its id may be derived.',
  },
  'whose name is the id of another one': {
    ...{
      projects: [
        ['web', 'Shop'],
        ['old', 'web'],
      ],
      ...{ text: 'web', id: 'web', shown: 'Shop' },
    },
    reason: 'An id wins.',
  },
  'whose id another one has as its name': {
    ...{
      projects: [
        ['web', 'Shop'],
        ['old', 'web'],
      ],
      ...{ text: 'old', id: 'old', shown: 'old' },
    },
    reason: 'Its name would lead to the other one.',
  },
  'with the id default': {
    ...{ projects: [platform, ['default', 'Main']], text: 'default', id: 'default', shown: 'Main' },
    reason: 'Files of before mean it.',
  },
  'of the platform beside one with the id default': {
    ...{ projects: [platform, ['default', 'Main']], text: ofDefault, id: ofDefault },
    ...{ shown: ofDefault, reason: 'Its name leads to the other one.' },
  },
  'called default like that of the platform': {
    ...{ projects: [platform, ['mine', 'default']], text: 'default', id: ofDefault },
    ...{ shown: 'default', reason: 'Nobody takes the name of the default project.' },
  },
  'that does not exist': {
    ...{ projects: [platform], text: 'nowhere', id: 'nowhere', shown: 'nowhere' },
    reason: 'The caller gets the error of an unknown id.',
  },
};

describe('a project', () => {
  it.each(Object.entries(cases))('%s', async (_name, { projects, text, id, shown, reason }) => {
    const names = namesOf(projects);
    expect(await names.idOf(organization, text, ['query']), reason).toBe(id);
    expect(names.nameOf(organization, id), reason).toBe(shown);
  });

  it('that was created a moment ago is found at the API server', async () => {
    const names = namesOf([platform], [platform, ['web-1', 'Web']]);
    expect(await names.idOf(organization, 'Web', ['query'])).toBe('web-1');
  });

  it('with the name of another one is shown by its id, and has to be named by it', async () => {
    const names = namesOf([
      ['web-2', 'Web'],
      ['web-1', 'Web'],
    ]);
    expect(names.nameOf(organization, 'web-2')).toBe('web-2');
    const refused = await names.idOf(organization, 'Web', ['query', 'project_id']).catch((e) => e);
    expect(refused).toBeInstanceOf(InvalidRequest);
    expect((refused as InvalidRequest).violations).toEqual([
      {
        loc: ['query', 'project_id'],
        msg: '2 projects are called Web: write the id, one of web-1, web-2',
        ...{ type: 'value_error', input: 'Web' },
      },
    ]);
  });
});

it.each([
  ['shop', 'shop'],
  ['Shop', 'shop'],
  ['Secret', 'Secret'],
  ['Twice', 'Twice'],
])('a token of one project that asks for %s learns nothing of others', async (text, id) => {
  const names = namesOf([
    ['shop', 'Shop'],
    ['other', 'Secret'],
    ['a', 'Twice'],
    ['b', 'Twice'],
  ]);
  const caller = { organization, project: 'shop' };
  expect(await projectIdIn(names, { caller, text, loc: ['query'] })).toBe(id);
});
