// Measures pages, groups and retries beside 10,000 dead letters of one organization: on a quiet system, and while a bare client writes
// 6,000 more. No controller runs, so that nothing is sent again and every round sees the same.
import { Pool } from 'undici';
import { eventually } from '../test/support/runner/eventually.ts';
import { cpuMs } from './measure.ts';
import { type Failures, failuresIn } from './setup/failures.ts';
import { openInstallation } from './setup/installation.ts';

export const present = 10_000;
export const more = 6_000;
const pageSize = 50;
const quietRounds = 20;
const collection = '/ops/dead-letter';
const pageOf = (query = '') => `${collection}?limit=${pageSize}${query}`;

/** Milliseconds of each request. */
export interface Times {
  readonly page: number[];
  readonly pageOfProvider: number[];
  readonly pageOfRareCause: number[];
  readonly groups: number[];
  readonly progress: number[];
  readonly dryRun: number[];
  readonly retryAll: number[];
  /** The same page of the API server through the bare client. */
  readonly bare: number[];
}

export interface Letters {
  readonly quiet: Times;
  readonly written: Times;
  /** The first question about groups after the start of the API, which is filling the index. */
  readonly firstGroupsMs: number;
  readonly groupsCpuMs: number;
  readonly writtenPerSecond: number;
  /** From the last write until groups have all. */
  readonly behindMs: number;
}

export async function measureLetters(say: (line: string) => void): Promise<Letters> {
  await using stack = new AsyncDisposableStack();
  const installation = stack.use(await openInstallation());
  const { raw } = installation;
  const token = await installation.token('letters');
  const founder = installation.replica('founder');
  await founder.start();
  const founding = stack.use(clientOf(founder.url, token));
  // The first request of an organization creates its namespace.
  const [project] = await eventually(async () => {
    await founding.get(pageOf());
    return (await founding.get('/projects')) as readonly { readonly project_id: string }[];
  });
  const { namespace } = (await founding.get('/auth/me')) as { readonly namespace: string };
  const failures = failuresIn({
    installation,
    namespace,
    organizationId: 'letters',
    project: project?.project_id ?? '',
  });
  await founder.drain();
  say(`${present + more} failed resources`);
  await failures.resources(present + more);
  say(`${present} dead letters`);
  await failures.deadLetters({ from: 0, to: present });

  const api = installation.replica('api', { parts: ['api'] });
  await api.start();
  const client = stack.use(clientOf(api.url, token));
  const pid = api.pid ?? 0;
  const firstGroupsMs = await msOf(() => client.groups(present));
  const rare = (await client.groups(present)).find(({ error_code }) => error_code === 'RARE');
  const round = roundOf({ client, failures, raw, cause: rare?.cause ?? '' });

  say('a quiet system');
  const quiet = noTimes();
  for (let at = 0; at < quietRounds; at += 1) await round(quiet);
  const cpuBefore = cpuMs([pid]);
  for (let at = 0; at < quietRounds; at += 1) await client.groups(present);
  const groupsCpuMs = (cpuMs([pid]) - cpuBefore) / quietRounds;

  say(`${more} more`);
  const written = noTimes();
  const startedAt = performance.now();
  let isOver = false;
  const writing = failures.deadLetters({ from: present, to: present + more }).finally(() => {
    isOver = true;
  });
  while (!isOver) await round(written);
  await writing;
  const writtenPerSecond = (more * 1_000) / (performance.now() - startedAt);
  const behindMs = await msOf(() => eventually(() => client.groups(present + more)));
  return {
    ...{ quiet, written, firstGroupsMs, groupsCpuMs, writtenPerSecond, behindMs },
  };
}

interface Round {
  readonly client: LettersClient;
  readonly failures: Failures;
  readonly raw: { send(method: 'GET' | 'DELETE', path: string): Promise<unknown> };
  readonly cause: string;
}

/** @returns a function that makes each request once */
function roundOf({ client, failures, raw, cause }: Round): (times: Times) => Promise<void> {
  const barePage = `${failures.path}?limit=${pageSize}&labelSelector=fairlead.dev%2Fdead-letter%3Dtrue`;
  const retryAll = `${collection}/retry-all`;
  return async (times) => {
    times.bare.push(await msOf(() => raw.send('GET', barePage)));
    times.page.push(await msOf(() => client.get(pageOf())));
    times.pageOfProvider.push(await msOf(() => client.get(pageOf('&provider=kafka'))));
    times.pageOfRareCause.push(await msOf(() => client.get(pageOf(`&cause=${cause}`))));
    times.groups.push(await msOf(() => client.groups()));
    times.dryRun.push(await msOf(() => client.post(`${retryAll}?dry_run=true`)));
    times.retryAll.push(await msOf(() => client.post(retryAll)));
    times.progress.push(await msOf(() => client.get(`${collection}/redrive`)));
    await raw.send('DELETE', `${failures.path}/redrive`);
  };
}

interface LettersClient extends AsyncDisposable {
  get(path: string): Promise<unknown>;
  post(path: string): Promise<unknown>;
  /** @throws when there are not so many dead letters in all */
  groups(count?: number): Promise<readonly Cause[]>;
}

interface Cause {
  readonly cause: string;
  readonly error_code: string;
  readonly count: number;
}

function clientOf(url: string, token: string): LettersClient {
  const pool = new Pool(url, { connections: 4, pipelining: 1 });
  const headers = { authorization: `Bearer ${token}` };
  async function ask(method: 'GET' | 'POST', path: string): Promise<unknown> {
    const { statusCode, body } = await pool.request({ method, path, headers });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${method} ${path}: ${statusCode} ${text}`);
    return JSON.parse(text);
  }
  return {
    get: (path) => ask('GET', path),
    post: (path) => ask('POST', path),
    async groups(count) {
      const causes = (await ask('GET', `${collection}?group_by=error`)) as readonly Cause[];
      const all = causes.reduce((sum, each) => sum + each.count, 0);
      if (count !== undefined && all !== count) throw new Error(`${all} dead letters are counted`);
      return causes;
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function noTimes(): Times {
  return {
    page: [],
    pageOfProvider: [],
    pageOfRareCause: [],
    groups: [],
    progress: [],
    dryRun: [],
    retryAll: [],
    bare: [],
  };
}
