// "The same on the command line": the client is run with the commands that the page shows, and prints what the page shows.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResourceRecord } from '../../../../../src/api/shapes.ts';
import { selectionCommands } from '../../../../../src/console/pages/resources/commands.ts';
import { type Filter, selected } from '../../../../../src/console/pages/resources/model.ts';
import { parseResourceAddress, slashed } from '../../../../../src/domain/identity.ts';
import { presentResource } from '../../../../../src/http/response/resource.ts';
import type { ResourceFilter } from '../../../../../src/store/records.ts';
import { matches } from '../../../../../src/store/resources/lists/filter.ts';
import { resourceRecord } from '../../../../../src/store/resources/state.ts';
import { type Answering, startAnswering } from '../../../../support/clients/answering.ts';
import { runClient } from '../../../../support/clients/client.ts';
import { named } from '../../../../support/fixtures/explanation/explained-resources.ts';

type Given = Parameters<typeof named>[1];
const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const of = (provider: string, resource: string, name: string, given: Given = {}) =>
  named(name, { ...given, spec: { provider, resource, ...given?.spec } });

const stored = [
  of('crates', 'greeting', 'first', { state: 'ready', spec: { tags: ['blue'] } }),
  of('crates', 'greeting', 'stray', { state: 'failed', spec: { tags: ['blue', 'new'] } }),
  of('crates', 'box', 'Greeting-card', { state: 'ready', spec: { project: 'web' } }),
  of('postgres', 'database', 'first', { state: 'pending', spec: { project: 'web' } }),
  of('postgres', 'database', 'first-copy', { state: 'failed', reason: 'DeleteFailed', metadata }),
  of('postgres', 'role', 'seller', { state: 'ready', metadata }),
  of('letters', 'greeting', 'last', { spec: { lifecycle: 'Draft' } }),
];
const view = {
  ...{ masking: undefined, projectName: (id: string) => id },
  ...{ mayHaveSecrets: () => false, onSecrets: () => undefined },
};
const records = stored.map((each) => presentResource(resourceRecord(each), view) as ResourceRecord);

let server: Answering;

beforeAll(async () => {
  server = await startAnswering(({ url }) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const id = decodeURIComponent(pathname.slice('/resources/'.length));
    const body = id === '' ? listed(searchParams) : oneOf(id);
    return body === undefined ? undefined : { body };
  });
});

afterAll(() => server.stop());

/** By the filter of the API. */
function listed(query: URLSearchParams): readonly ResourceRecord[] {
  const filter = {
    provider: query.get('provider') ?? undefined,
    resource: query.get('resource') ?? undefined,
    tags: query.getAll('tags'),
    state: query.get('lifecycle_state') ?? undefined,
    projectId: query.get('project_id') ?? undefined,
    deleting: query.get('deleting') ?? undefined,
  } as ResourceFilter;
  return records.filter((_, at) => stored.slice(at, at + 1).some((each) => matches(each, filter)));
}

function oneOf(id: string): ResourceRecord | undefined {
  const key = parseResourceAddress(id)?.key;
  return records.find(({ provider, resource, name }) => `${provider}_${resource}_${name}` === key);
}

/** @returns the names that the commands print, each in a shell of its own */
async function printed(commands: readonly string[]): Promise<readonly string[]> {
  const names: string[] = [];
  for (const command of commands) {
    // As a shell splits it: in quotes, or at spaces.
    const [program, ...words] = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(
      ([, text, word]) => text ?? word ?? '',
    );
    expect(program).toBe('fairlead');
    const { url } = server;
    const { code, stdout, stderr } = await runClient([...words, '-o', 'name'], {
      variables: { FAIRLEAD_TOKEN: 'secret', FAIRLEAD_URL: url },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    names.push(...stdout.split('\n').filter((line) => line !== ''));
  }
  return names;
}

const nothing: Filter = {
  ...{ text: '', state: undefined, project: undefined, tag: undefined },
  isDrifted: false,
};

describe('the commands below the resources', () => {
  it('select what has drifted, within the rest', () => {
    const drifted = { ...nothing, isDrifted: true };
    const shown = selected(records, nothing);
    expect(selectionCommands({ ...drifted, state: 'ready', project: 'web' }, shown)).toEqual([
      'fairlead get --state ready --drift --project web',
      'fairlead get --state ready --drift --deleting --project web',
    ]);
    expect(selectionCommands(drifted, selected(records, drifted))).toEqual([]);
  });

  it.each<[string, Partial<Filter>, string[]]>([
    ['all', {}, ['fairlead get --all-projects', 'fairlead get --deleting --all-projects']],
    ['a provider', { text: 'crates' }, ['fairlead get crates --all-projects']],
    // As a selector it would be a provider.
    [
      'a bare word that is a type, and a part of a name',
      { text: 'greeting' },
      ["fairlead get '*/*greeting*' '*/*/*Greeting*' --all-projects"],
    ],
    [
      'a type',
      { text: 'postgres/database' },
      [
        'fairlead get postgres/database --all-projects',
        'fairlead get postgres/database --deleting --all-projects',
      ],
    ],
    ['one', { text: 'crates/greeting/first' }, ['fairlead get crates/greeting/first']],
    [
      'one in deletion',
      { text: ' postgres/role/seller ', state: 'deleting' },
      ['fairlead get postgres/role/seller'],
    ],
    [
      'an id',
      { text: 'resource:crates_greeting_stray', tag: 'new' },
      ['fairlead get resource:crates_greeting_stray'],
    ],
    [
      'a name in capitals',
      { text: 'FIRST' },
      [
        "fairlead get '*/*/*first*' --all-projects",
        "fairlead get '*/*/*first*' --deleting --all-projects",
      ],
    ],
    [
      'a part over a slash',
      { text: 'greeting/st' },
      ["fairlead get '*/*greeting/st*' --all-projects"],
    ],
    [
      'a wildcard',
      { text: '*/*/first*', state: 'pending' },
      ["fairlead get '*/*/first*' --state pending --all-projects"],
    ],
    [
      'a state, also of deletions',
      { state: 'failed' },
      [
        'fairlead get --state failed --all-projects',
        'fairlead get --state failed --deleting --all-projects',
      ],
    ],
    ['deletions', { state: 'deleting' }, ['fairlead get --deleting --all-projects']],
    ['a project', { project: 'web', text: 'first' }, ["fairlead get '*/*/*first*' --project web"]],
    [
      'a tag and a state',
      { tag: 'blue', text: 'crates', state: 'ready' },
      ['fairlead get crates --state ready --tag blue --all-projects'],
    ],
    ['what no resource has', { text: '<script>' }, []],
    ['one that is in another state', { text: 'crates/greeting/first', state: 'failed' }, []],
  ])('select the same: %s', async (_, changes, expected) => {
    const filter = { ...nothing, ...changes };
    const selection = selected(records, filter);
    const commands = selectionCommands(filter, selection);
    expect(commands).toEqual(expected);
    expect((await printed(commands)).toSorted()).toEqual(selection.shown.map(slashed).sort());
  });
});
