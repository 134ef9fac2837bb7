import { expect, it, onTestFinished } from 'vitest';
import { logText } from '../../../../src/cli/commands/providers/logs.ts';
import { forTerminal } from '../../../../src/cli/terminal/own-colours.ts';
import { styleOf } from '../../../../src/cli/terminal/style.ts';
import { parseLogLine } from '../../../../src/client/log-line.ts';
import { type Answer, startAnswering } from '../../../support/clients/answering.ts';

const style = styleOf({ colours: false, unicode: true });
const json = JSON.stringify({
  level: 'warn',
  time: '2026-01-31T12:00:00.123Z',
  message: 'is slow',
  resource: 'crates/crate/first',
  organization: 'acme',
  attempt: 2,
});

it.each([
  [
    `provider-crates-abc ${json}`,
    'abc 12:00:00.123Z warn  is slow resource=crates/crate/first attempt=2',
  ],
  ['provider-crates-abc plain \u001b[2J text', 'abc plain \\u001b[2J text'],
  ['p-a {"level":"\\u001b[2J","time":"2026-01-31T\\u001b]0;x","message":"m"}', 'a \\u001b[2J m'],
  ['provider-crates-abc {no json', 'abc {no json'],
])('shows %j for people', (line, expected) => {
  expect(forTerminal(logText(parseLogLine(line), style))).toBe(expected);
});

/** @param answers one for each connection */
async function serving(answers: readonly Answer[]) {
  const server = await startAnswering(() => answers[server.asked.length - 1] ?? { body: '' });
  onTestFinished(server.stop);
  return server;
}

it('goes on after the last line when the connection is lost or the token expires', async () => {
  const { asked, client } = await serving([
    { body: 'id: a\ndata: p-1 one\n\n', cut: true },
    { body: 'id: b\ndata: p-1 two\n\nevent: expired\ndata: x\n\n' },
    { body: 'id: c\ndata: p-1 three\n\nevent: end\ndata: {"pods":1,"lines":3,"since":null}\n\n' },
  ]);
  const { code, stdout } = await client('logs crates -f --since 10m --resource crates/crate/a');
  expect({ code, stdout }).toEqual({ code: 0, stdout: '1 one\n1 two\n1 three\n' });
  expect(asked.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'a', 'b']);
  expect(asked[0]?.url).toBe(
    '/providers/crates/logs?since=10m&follow=true&resource=crates%2Fcrate%2Fa',
  );
});

it('points to the newest build of a provider that never ran', async () => {
  const detail = 'Provider crates was never deployed';
  const { client } = await serving([
    { status: 404, body: { detail, code: 'not_deployed' } },
    { body: [{ job_name: 'crates-20260131-120000', status: 'failed' }] },
  ]);
  const { code, stderr } = await client('logs crates');
  expect(code).toBe(5);
  expect(stderr).toContain('Its newest build (failed): fairlead logs crates-20260131-120000');
});

it.each([
  'logs crates',
  'logs crates/crate/first',
  'provider settings get crates',
  'provider settings set --provider crates pool=1',
])('[A22] %s says what is true of a provider that runs elsewhere', async (words) => {
  const detail = 'Provider crates runs elsewhere (127.0.0.1:9): what is asked for is there';
  const error = { detail, code: 'not_deployed', help: 'Look there.', context: { hosted: false } };
  const provider = { provider: 'crates', hosted: false };
  const { client } = await serving([
    { status: 404, body: error },
    { body: [provider] },
    { body: [] },
  ]);
  const { code, stderr } = await client(words);
  expect({ code, stderr }).toEqual({ code: 5, stderr: `Error: ${detail}.\n  Look there.\n` });
});
