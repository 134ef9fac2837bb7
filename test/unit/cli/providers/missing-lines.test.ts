// `fairlead logs` without a line: what it says, what it advises, and how it ends.
import { expect, it, onTestFinished } from 'vitest';
import { type Answer, startAnswering } from '../../../support/clients/answering.ts';

interface Api {
  /** Lines of the present log for what is asked for; older ones only without `since`. */
  readonly lines?: readonly string[];
  readonly older?: readonly string[];
  /** Lines before the last restart; undefined when there was none. */
  readonly before?: readonly string[];
  readonly deadLetter?: string;
  /** What was read, at the end of a log. */
  readonly read?: string;
  /** The answer to everything. */
  readonly fails?: { readonly status: number; readonly body: object };
}

const resource = 'crates/crate/a';
const facts = '{"pods":1,"lines":12,"since":"2026-01-31T12:00:00.000Z"}';
function answerTo(url: URL, isStream: boolean, api: Api): Answer {
  const { deadLetter, fails } = api;
  if (fails !== undefined) return fails;
  if (url.pathname.endsWith('/explanation')) {
    const letter = deadLetter === undefined ? null : { event_id: deadLetter, resource };
    return { body: { resource, dead_letter: letter } };
  }
  if (url.pathname.startsWith('/ops/dead-letter/')) {
    if (deadLetter !== undefined) return { body: { event_id: deadLetter } };
    return { status: 404, body: { code: 'dead_letter_not_found', detail: 'x' } };
  }
  return logFor(url.searchParams, isStream, api);
}

function logFor(asked: URLSearchParams, isStream: boolean, api: Api): Answer {
  const { lines = [], older = [], before, read: end = facts } = api;
  const isPrevious = asked.get('previous') === 'true';
  const found = isPrevious ? before : asked.has('since') ? lines : [...older, ...lines];
  if (found === undefined) {
    const body = { code: 'no_previous_container', detail: 'No pod was restarted' };
    return { status: 404, body };
  }
  const events = found.map((line) => `data: ${line}\n\n`).join('');
  if (isStream) return { body: `${events}event: end\ndata: ${end}\n\n` };
  return { headers: { 'content-type': 'text/plain' }, body: found.join('\n') };
}

async function logs(words: string, api: Api = {}) {
  const server = await startAnswering(({ url, headers }) =>
    answerTo(new URL(url, 'http://api'), headers.accept === 'text/event-stream', api),
  );
  onTestFinished(server.stop);
  return await server.client(`logs ${words}`);
}

const event = 'evt-0f8fad5bd9cb469fa16570867728950e';
const read = '12 lines of 1 pod were read, since 2026-01-31T12:00:00.000Z (5m ago).';

const cases: Record<string, [string, Api, number, readonly string[]]> = {
  'a resource whose lines were before a restart, and which failed': [
    resource,
    { before: ['p made'], deadLetter: event },
    5,
    [
      `Error: The log of provider crates has no line for ${resource}.`,
      `  ${read}`,
      `  Its failure: fairlead dead-letters get ${event}`,
      `  Before the last restart: fairlead logs ${resource} --previous`,
    ],
  ],
  'a resource whose handler crashed before it wrote a line': [
    resource,
    { before: [] },
    5,
    [
      `Error: The log of provider crates has no line for ${resource}.`,
      `  ${read}`,
      '  The provider before its last restart: fairlead logs crates --previous',
    ],
  ],
  'a resource whose lines are older than what was asked for': [
    `${resource} --since 10m`,
    { older: ['p made'] },
    5,
    [
      `Error: The log of provider crates has no line for ${resource}.`,
      `  ${read}`,
      `  Older lines: fairlead logs ${resource}`,
    ],
  ],
  'a resource whose lines are nowhere': [
    resource,
    {},
    5,
    [
      `Error: The log of provider crates has no line for ${resource}.`,
      `  ${read}`,
      '  Lines are gone when their pod is replaced, or its container restarts for the second time.',
      '  All lines of the provider: fairlead logs crates',
    ],
  ],
  'a resource that does not exist': [
    resource,
    { fails: { status: 404, body: { code: 'resource_not_found', detail: 'Resource not found' } } },
    5,
    ['Error: Resource not found.', '  The resources that exist: fairlead get'],
  ],
  'an event that failed': [
    `crates --event ${event}`,
    { deadLetter: event },
    5,
    [
      `Error: The log of provider crates has no line for event ${event}.`,
      `  ${read}`,
      `  Its failure: fairlead dead-letters get ${event}`,
    ],
  ],
  'a provider that wrote nothing': [
    'crates --since 10m',
    {},
    0,
    [`The log of provider crates has no line since 10m. ${read}`],
  ],
  'nothing that was asked for': ['crates --tail 0', {}, 0, []],
  'a provider that was not restarted': [
    'crates --previous',
    {},
    5,
    ['Error: No pod was restarted.', '  The present log: fairlead logs crates'],
  ],
  'a container that wrote nothing before it ended': [
    `${resource} --previous`,
    { before: [] },
    5,
    [
      `Error: The log of provider crates before its last restart has no line for ${resource}.`,
      `  ${read}`,
      '  Lines are gone when their pod is replaced, or its container restarts for the second time.',
      '  All lines of the provider: fairlead logs crates --previous',
    ],
  ],
  'a resource that has lines since the restart only': [
    'crates --previous --resource resource:crates_crate_a',
    { before: [], lines: ['p made'] },
    5,
    [
      'Error: The log of provider crates before its last restart has no line for resource:crates_crate_a.',
      `  ${read}`,
      '  After the last restart: fairlead logs crates --resource resource:crates_crate_a',
    ],
  ],
  'a resource of a provider that wrote nothing': [
    resource,
    { read: '{"pods":0,"lines":0,"since":null}' },
    5,
    [
      `Error: The log of provider crates has no line for ${resource}.`,
      '  The provider has no pods now.',
      '  Lines are gone when their pod is replaced, or its container restarts for the second time.',
      '  The state of the provider: fairlead provider get crates',
    ],
  ],
  'what has ended and is followed': [
    'crates --previous --follow',
    {},
    2,
    [
      'Error: --follow and --previous exclude each other: a container before a restart writes nothing more.',
    ],
  ],
  'a build': ['crates-20260131-120000 --previous', {}, 2, ['Error: --previous is not for builds.']],
};

it.each(Object.entries(cases))('explains %s', async (_name, [words, api, code, lines]) => {
  const result = await logs(words, api);
  expect(result).toEqual({ code, stdout: '', stderr: lines.map((line) => `${line}\n`).join('') });
});

it('says nothing when it has printed lines', async () => {
  expect(await logs('crates --previous', { before: ['p-1 Error: Boom'] })).toEqual({
    code: 0,
    stdout: '1 Error: Boom\n',
    stderr: '',
  });
});
