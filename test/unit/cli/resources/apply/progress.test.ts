// `fairlead apply` at a terminal: it asks for events, and shows of them how much is written.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { run } from '../../../../../src/cli/commands/run.ts';
import {
  type Answer,
  type Answering,
  startAnswering,
} from '../../../../support/clients/answering.ts';
import { answeredBatch } from '../../../../support/clients/batches.ts';
import { Buffered, clientEnvironment, newHome } from '../../../../support/clients/client.ts';
import { eventually } from '../../../../support/runner/eventually.ts';

let server: Answering;
/** Of requests for events. */
let streamed: (end: string) => Answer;

const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const written = (done: number) => event('progress', { total: 3, done, refused: 0 });
const accepted = () => server.asked.map(({ headers }) => headers.accept);

beforeEach(async () => {
  streamed = (end) => ({ body: end });
  server = await startAnswering((request) => {
    const whole = answeredBatch(request);
    const asksForEvents = request.headers.accept === 'text/event-stream';
    return asksForEvents ? streamed(event('end', whole.body)) : whole;
  });
  return server.stop;
});

const documentFor = (name: string) =>
  `resource: postgres/database/${name}\nconfig: {name: ${name}}\n`;

/** Runs the client with three documents; both of its outputs are terminals of this width. */
async function applied(words: string, columns: number | undefined, stderr = new Buffered(columns)) {
  const home = newHome();
  writeFileSync(join(home, 'all.yaml'), ['a', 'b', 'c'].map(documentFor).join('---\n'));
  const stdout = new Buffered(columns);
  const variables = { FAIRLEAD_TOKEN: 'secret', FAIRLEAD_URL: server.url, NO_COLOR: '1' };
  const environment = clientEnvironment({ home, variables }, { stdout, stderr });
  const argv = ['apply', '--no-wait', '-f', 'all.yaml', ...words.split(' ').filter(Boolean)];
  const code = await run(argv, environment, new AbortController().signal);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

it.each(['', '--set shop'])('counts what is written on one line: apply %s', async (words) => {
  const stderr = new Buffered(80);
  const isShown = () => eventually(() => expect(stderr.text).toContain('  written 2 of 3\n'));
  streamed = (end) => ({
    body: `: quiet\n\n${written(2)}`,
    rest: { after: isShown, body: `${written(3)}${end}` },
  });
  const { code, stdout } = await applied(words, 80, stderr);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/database\/c +created/)]);
  expect(accepted()).toEqual(['text/event-stream']);
  // The line is erased.
  expect(stderr.text.lastIndexOf('\u001b[1A')).toBeGreaterThan(stderr.text.lastIndexOf('written'));
});

it.each<[string, number | undefined]>([
  ['', undefined],
  ['-o json', 80],
  ['-q', 80],
])('asks for no events where nobody sees them: apply %s, %s columns', async (words, columns) => {
  const { code, stderr } = await applied(words, columns);
  expect(code).toBe(0);
  expect(accepted()).toEqual(['application/json']);
  expect(stderr).not.toContain('written');
});

const lost: Answer = { body: written(1), cut: true };
const unavailable = { status: 503, detail: 'The storage is unavailable', code: 'unavailable' };

it.each<[string, Answer]>([
  ['lost', lost],
  ['unavailable', { body: event('error', unavailable) }],
])('sends once more a request whose answer is %s', async (_why, answer) => {
  streamed = () => answer;
  const { code, stdout } = await applied('', 80);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/database\/c +created/)]);
  expect(accepted()).toEqual(['text/event-stream', 'application/json']);
});

it('does not repeat what was approved by a plan', async () => {
  streamed = () => lost;
  const { code, stderr } = await applied('--plan digest', 80);
  expect(code).toBe(8);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
    'It is unknown whether POST /resources/batch took effect',
  );
  expect(accepted()).toEqual(['text/event-stream']);
});

it('reports the error of the last event as that of an answer', async () => {
  const resources = [
    { resource: 'postgres/database/a', change: 'create', outcome: 'applied', error: null },
    {
      ...{ resource: 'postgres/database/b', change: 'create', outcome: 'refused' },
      error: { code: 'conflict', message: 'Another client changes it' },
    },
  ];
  const error = {
    ...{ status: 409, code: 'set_incomplete', detail: '1 of 2 resources were not applied' },
    context: { resources },
  };
  streamed = () => ({ body: written(1) + event('error', error) });
  const { code, stderr } = await applied('', 80);
  expect(code).toBe(6);
  expect(stderr).toContain('1 of 2 resources were not written.');
  expect(stderr).toMatch(/database\/b +refused +Another client changes it\./);
  expect(accepted()).toEqual(['text/event-stream']);
});
