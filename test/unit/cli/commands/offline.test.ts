// What the commands that look around say where there is no server, no login and no completion.
import { expect, it } from 'vitest';
import { runClient } from '../../../support/clients/client.ts';
import { freePort } from '../../../support/runner/free-port.ts';

it('shows what is not there, and need not be, as no success', async () => {
  const { stdout } = await runClient(['doctor'], { variables: { SHELL: '/bin/bash' } });
  expect(stdout).toMatch(/^✓ client /m);
  expect(stdout).toMatch(/^· logins +none stored {2}fairlead login URL$/m);
  expect(stdout).toMatch(/^· completion +not installed {2}fairlead completion --help$/m);
  expect(stdout).toMatch(/^✗ context /m);
});

it('says beside the next command why it is needed', async () => {
  const variables = {
    FAIRLEAD_URL: `http://127.0.0.1:${await freePort()}`,
    FAIRLEAD_TOKEN: 'secret',
  };
  const { stdout } = await runClient([], { variables });
  const last = stdout.trimEnd().split('\n').at(-1);
  expect(last).toContain(variables.FAIRLEAD_URL);
  expect(last).toMatch(/ {2}fairlead doctor$/);
  expect((await runClient([])).stdout).toMatch(
    /\nNo Fairlead is configured\. {2}fairlead login URL\n$/,
  );
});
