// What a batch costs: many creates in one request, against as many creates of a bare client; the same batch again; and the client.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Pool } from 'undici';
import { atOnce } from '../../src/store/resources/batch/read-once.ts';
import { spawnClient } from '../../test/support/clients/client.ts';
import { eventually } from '../../test/support/runner/eventually.ts';
import { newFolder } from '../../test/support/runner/folder.ts';
import { countWrites, totalOf, writesSince } from '../setup/api-server-metrics.ts';
import { openInstallation } from '../setup/installation.ts';
import {
  configOf,
  createSubject,
  installRawKind,
  rawGroup,
  startSubject,
} from '../setup/subject.ts';
import { createBare } from './lifecycle.ts';

/** As many as one request may have. */
export const perBatch = 500;
/** Four requests of the client. */
export const manyDocuments = 2_000;

export interface BatchRound {
  /** Duration of the batch to that of the creates of a bare client, as many at once. */
  readonly newRatio: number;
  readonly newSetRatio: number;
  readonly newSeconds: number;
  readonly unchangedSeconds: number;
  readonly unchangedSetSeconds: number;
  /** Requests to the API server that write, of the unchanged batch and set. */
  readonly unchangedWrites: number;
}

/** Without a controller, so that no delivery takes processor time from the writes that are compared. */
export async function measureBatches(
  rounds: number,
  say: (line: string) => void,
): Promise<readonly BatchRound[]> {
  await using stack = new AsyncDisposableStack();
  const installation = stack.use(await openInstallation());
  const controller = installation.replica('controller', { parts: ['controller'] });
  const api = installation.replica('api', { parts: ['api'] });
  await Promise.all([controller.start(), api.start()]);
  const subject = await createSubject(installation.target(api));
  stack.defer(() => subject.close());
  await controller.kill();
  const { raw, token } = subject;
  await installRawKind(raw, rawGroup);
  const rawPath = `/apis/${rawGroup}/v1alpha1/namespaces/${subject.namespace}/resources`;
  await eventually(() => raw.send('GET', rawPath));
  const pool = new Pool(api.url, { connections: 1, headersTimeout: 0, bodyTimeout: 0 });
  stack.defer(() => pool.destroy());
  const sender = { pool, token };
  const sendBatch = (body: string) => timed(() => send(sender, ['POST', '/resources/batch'], body));
  const sendSet = (name: string, body: string) =>
    timed(() => send(sender, ['PUT', `/sets/${name}`], body));
  const bare = async (prefix: string) =>
    perBatch / (await createBare({ raw, rawPath }, prefix, { count: perBatch, atOnce }));

  await bare('warm-');
  await sendBatch(batchOf('warm-'));
  const measured: BatchRound[] = [];
  for (let round = 0; round < rounds; round += 1) {
    say(`batches, round ${round + 1} of ${rounds}`);
    const [batch, set] = [batchOf(`b${round}-`), batchOf(`c${round}-`)];
    // ABBA: drift of the machine within a round affects both sides equally.
    const first = await bare(`a${round}-`);
    const newSeconds = await sendBatch(batch);
    const newSetSeconds = await sendSet(`set-${round}`, set);
    const last = await bare(`d${round}-`);
    const before = await countWrites(raw);
    const unchangedSeconds = await sendBatch(batch);
    const unchangedSetSeconds = await sendSet(`set-${round}`, set);
    const writes = writesSince(before, await countWrites(raw));
    const bareSeconds = (first + last) / 2;
    measured.push({
      newRatio: newSeconds / bareSeconds,
      newSetRatio: newSetSeconds / bareSeconds,
      ...{ newSeconds, unchangedSeconds, unchangedSetSeconds },
      unchangedWrites: totalOf(writes),
    });
  }
  return measured;
}

function resourceOf(name: string) {
  return { provider: 'noop', resource: 'thing', name, config: configOf(name) };
}

function batchOf(prefix: string): string {
  const resources = Array.from({ length: perBatch }, (_, at) => resourceOf(`${prefix}${at}`));
  return JSON.stringify({ resources });
}

interface Sender {
  readonly pool: Pool;
  readonly token: string;
}

async function send(
  { pool, token }: Sender,
  [method, path]: readonly ['POST' | 'PUT', string],
  body: string,
): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await pool.request({ method, path, headers, body });
  const text = await answer.body.text();
  if (answer.statusCode !== 200)
    throw new Error(`${method} ${path} is answered ${answer.statusCode}: ${text.slice(0, 300)}`);
}

/** @returns seconds */
async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}

export interface ClientRound {
  readonly newSeconds: number;
  readonly unchangedSeconds: number;
}

/** `fairlead apply` of a file as users run it: a process of its own, against a Fairlead that delivers meanwhile. */
export async function measureClient(
  rounds: number,
  say: (line: string) => void,
): Promise<readonly ClientRound[]> {
  await using stack = new AsyncDisposableStack();
  const subject = await startSubject();
  stack.defer(() => subject.close());
  const variables = { FAIRLEAD_URL: subject.fairlead.url, FAIRLEAD_TOKEN: subject.token };
  const folder = newFolder('batches-');
  const apply = (file: string) =>
    timed(async () => {
      const { result } = await spawnClient(['apply', '-f', file], { variables });
      const { code, stderr } = await result;
      if (code !== 0) throw new Error(`fairlead apply exits with ${code}: ${stderr.slice(-300)}`);
    });
  const measured: ClientRound[] = [];
  for (let round = 0; round < rounds; round += 1) {
    say(`client, round ${round + 1} of ${rounds}`);
    const file = join(folder, `${round}.yaml`);
    const names = Array.from({ length: manyDocuments }, (_, at) => `m${round}-${at}`);
    await writeFile(file, names.map(documentOf).join('---\n'));
    measured.push({ newSeconds: await apply(file), unchangedSeconds: await apply(file) });
  }
  return measured;
}

function documentOf(name: string): string {
  return `resource: noop/thing/${name}\nconfig: ${JSON.stringify(configOf(name))}\n`;
}
