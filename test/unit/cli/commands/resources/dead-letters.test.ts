// `fairlead dead-letters` against an API that retries an only event, which fails again.
import { beforeEach, expect, it } from 'vitest';
import { startAnswering } from '../../../../support/clients/answering.ts';
import { runClient } from '../../../../support/clients/client.ts';

const cause = '0f1e2d3c4b5a';
const redrive = (state: string, causeState: string, count: number) => ({
  ...{ state, retried: 1 - count, left: 0, held: count, ended_at: null },
  causes: [{ provider: 'crates', cause, state: causeState, count }],
});
const letter = {
  ...{ event_id: 'evt-1', id: 'evt-1', provider: 'crates', error_code: 'TIMEOUT' },
  payload: { name: 'slow', config: { seconds: 30 } },
  log_excerpt: null,
};
let url: string;
/** What the API answers about the retry, one after the other. */
let progress: object[];

beforeEach(async () => {
  const started = await startAnswering(({ method, path }) => ({
    body:
      method === 'POST' ? { retried: 1 } : path.endsWith('/redrive') ? progress.shift() : letter,
  }));
  url = started.url;
  return started.stop;
});

const client = (words: string) =>
  runClient(words.split(' '), { variables: { FAIRLEAD_TOKEN: 'secret', FAIRLEAD_URL: url } });

it('follows an only event until its handler has ended', async () => {
  progress = [redrive('running', 'trying', 0), redrive('held', 'held', 1)];
  const { code, stderr } = await client(`dead-letters retry --cause ${cause} --wait`);
  expect(code).toBe(1);
  expect(stderr).toContain('its handler works');
  expect(stderr).not.toContain('done');
  expect(stderr).toContain('1 event stays, because its cause failed again.');
});

it('prints the payload of an event line by line, its id once, and nothing of what is not known', async () => {
  const { stdout } = await client('dead-letters get evt-1');
  const lines = stdout.split('\n').map((line) => line.trimEnd());
  expect(lines).toEqual([
    'event_id    evt-1',
    'provider    crates',
    'error_code  TIMEOUT',
    'payload     {',
    '              "name": "slow",',
    '              "config": {',
    '                "seconds": 30',
    '              }',
    '            }',
    '',
  ]);
});
