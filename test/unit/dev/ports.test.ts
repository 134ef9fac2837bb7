import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../src/app/config/index.ts';
import { choosePorts } from '../../../src/dev/ports.ts';
import { freePort } from '../../support/runner/free-port.ts';

/** Four free neighbours, of which some are taken until the end of the test. */
async function neighbours(...taken: readonly number[]): Promise<number> {
  for (;;) {
    const port = await freePort();
    const servers = await Promise.all([0, 1, 2, 3].map((after) => taking(port + after)));
    const isWhole = servers.every((server) => server !== undefined);
    const kept = isWhole ? taken.map((after) => servers[after]) : [];
    onTestFinished(async () => void (await Promise.all(kept.map(closed))));
    await Promise.all(servers.filter((server) => !kept.includes(server)).map(closed));
    if (isWhole) return port;
  }
}

async function taking(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1');
  return await once(server, 'listening').then(
    () => server,
    () => undefined,
  );
}

async function closed(server: Server | undefined): Promise<void> {
  if (server !== undefined) await new Promise((done) => server.close(done));
}

async function chosen(words: readonly string[], environment: Record<string, string> = {}) {
  const [port, data] = [words[1], words[3]];
  const flags = { data, port };
  return await choosePorts(loadConfig(words, environment), { script: 'npm start --', flags });
}

it('gives the next ports to what follows the API', async () => {
  const port = await neighbours();
  expect(await chosen(['--port', `${port}`])).toEqual({
    port,
    issuerPort: port + 1,
    internalPort: port + 2,
    metricsPort: port + 3,
  });
});

it('moves what nobody types when its port is taken', async () => {
  const port = await neighbours(2, 3);
  const { internalPort, metricsPort } = await chosen(['--port', `${port}`]);
  expect(internalPort).toBeGreaterThan(port + 3);
  expect(metricsPort).toBeGreaterThan(internalPort);
});

it('names all ports that are taken, and ends with a command that starts', async () => {
  const port = await neighbours(0, 1);
  const failure = await chosen(['--port', `${port}`, '--data', 'my data']).catch((error) => error);
  expect(failure.message).toMatch(
    new RegExp(
      `^Ports ${port} \\(the API\\) and ${port + 1} \\(the issuer\\) are taken by other programs. Choose others: npm start -- --data 'my data' --port \\d+$`,
    ),
  );
  const free = /\d+$/.exec(failure.message)?.[0] ?? '';
  expect(await chosen(['--port', free])).toMatchObject({ port: Number(free) });
});

it('moves the API when its neighbour is taken, as the issuer follows it', async () => {
  const port = await neighbours(1);
  await expect(chosen(['--port', `${port}`])).rejects.toThrow(
    new RegExp(
      `^Port ${port + 1} \\(the issuer\\) is taken by another program. Choose another: npm start -- --port (?!${port}$)\\d+$`,
    ),
  );
});

it('names given ports with what sets them', async () => {
  const port = await neighbours(1, 2);
  const given = {
    FAIRLEAD_ISSUER_PORT: `${port + 1}`,
    FAIRLEAD_INTERNAL_PORT: `${port + 2}`,
  };
  await expect(chosen(['--port', `${port}`], given)).rejects.toThrow(
    new RegExp(
      `^Ports .* and ${port + 2} \\(the listener for pods\\) .*: FAIRLEAD_INTERNAL_PORT=\\d+ npm start -- --port ${port} --issuer-port \\d+$`,
    ),
  );
});
