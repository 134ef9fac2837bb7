// Measures the effect of one organization on another: the p99 of requests while the other organization floods, uses hostile schemas, or
// asks for what once kept the thread of all busy, relative to the p99 without load. Limits have their defaults.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { createAuthenticator } from '../src/http/auth/authenticate.ts';
import { systemClock } from '../src/lib/clock.ts';
import { silentLog } from '../src/lib/log.ts';
import { Fairlead } from '../test/support/servers/fairlead.ts';
import { percentile } from './measure.ts';
import { type Freeze, freezes, provider, type Request } from './setup/freezes.ts';
import { rawClient } from './setup/raw.ts';

const limits = { FAIRLEAD_RATE_LIMIT: '50', FAIRLEAD_RATE_BURST: '200' };
const floodPerSecond = 500;
const calmPerSecond = 40;
const phaseMs = 8_000;
// The burst of the disturbing organization is spent by then, so the sustained load is measured.
const settleMs = 2_000;
const garbageTokens = 20_000;
/** Of one whose rate limit is spent. */
const limitedMs = 100;

export interface Phase {
  readonly quietP99: number;
  readonly disturbedP99: number;
  /** Answers to the disturbing organization, by status. */
  readonly statuses: Readonly<Record<number, number>>;
}

export interface Neighbours {
  /** Ten times the limit, at a constant rate. */
  flood(): Promise<Phase>;
  /** The most expensive accepted schema, registered and used repeatedly. */
  hostileSchemas(): Promise<Phase>;
  /** One of `freezes`. */
  freeze(name: string): Promise<Phase>;
  close(): Promise<void>;
}

/** @returns the status of the answer */
type Ask = (request: Request) => Promise<number>;

export async function startNeighbours(): Promise<Neighbours> {
  const fairlead = await Fairlead.start({ env: limits });
  const pool = new Pool(fairlead.url, { connections: 64, pipelining: 1 });
  const calm = await callerOf(fairlead, pool, 'calm');
  const loud = await callerOf(fairlead, pool, 'loud');
  await calm(draft);
  await loud(draft);
  const hostile = await startHostileProvider(fairlead, 'loud');
  await quiet(calm);
  return {
    flood: () => compare(calm, (signal, note) => flood(loud, signal, note)),
    hostileSchemas: () => compare(calm, (signal, note) => tryHostile(loud, signal, note)),
    async freeze(name) {
      const freeze = freezes[name];
      if (freeze === undefined) throw new Error(`there is no ${name}`);
      await prepare(loud, freeze);
      return await compare(calm, (signal, note) => repeat(loud, { freeze, signal, note }));
    },
    close: async () => {
      hostile.kill();
      await pool.destroy();
      await fairlead.destroy();
    },
  };
}

async function callerOf(fairlead: Fairlead, pool: Pool, organization: string): Promise<Ask> {
  const { token } = await fairlead.caller(organization);
  const always = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return async ({ method, path, body, headers }) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await pool.request({
      method,
      path,
      headers: { ...always, ...headers },
      ...sent,
    });
    await answer.body.dump();
    return answer.statusCode;
  };
}

async function startHostileProvider(fairlead: Fairlead, organization: string) {
  const file = join(import.meta.dirname, 'setup/hostile-provider.ts');
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { body } = await (await fairlead.caller(organization)).get('/auth/me');
  const { namespace } = body as { readonly namespace: string };
  const raw = rawClient(fairlead.kubeconfig);
  await raw.send('POST', `/apis/fairlead.dev/v1alpha1/namespaces/${namespace}/providers`, {
    apiVersion: 'fairlead.dev/v1alpha1',
    kind: 'Provider',
    metadata: { name: provider, namespace },
    spec: { provider, endpoint: line.toString().trim() },
  });
  await raw.close();
  return child;
}

const draft: Request = {
  ...{ method: 'POST', path: '/resources/apply' },
  body: { provider: 'box', resource: 'crate', name: 'one', config: { name: 'one' } },
};
const read: Request = { method: 'GET', path: '/resources/box/crate/one' };

type Disturb = (signal: AbortSignal, note: (status: number) => void) => Promise<void>;

/** Quiet, disturbed, quiet: drift of the machine affects both. */
async function compare(calm: Ask, disturb: Disturb): Promise<Phase> {
  const statuses: Record<number, number> = {};
  const before = await quiet(calm);
  const stopping = new AbortController();
  const disturbing = disturb(stopping.signal, (status) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  });
  await pause(settleMs);
  const during = await quiet(calm);
  stopping.abort();
  await disturbing;
  const after = await quiet(calm);
  return {
    quietP99: percentile([...before, ...after], 0.99),
    disturbedP99: percentile(during, 0.99),
    statuses,
  };
}

/** @returns the durations of its requests, sent at a constant rate without waiting for responses */
async function quiet(calm: Ask): Promise<number[]> {
  const took: Promise<number>[] = [];
  const count = (phaseMs / 1_000) * calmPerSecond;
  const begun = performance.now();
  for (let index = 0; index < count; index += 1) {
    await pause(Math.max(0, begun + (index * 1_000) / calmPerSecond - performance.now()));
    took.push(timed(() => calm(read)));
  }
  return await Promise.all(took);
}

async function timed(work: () => Promise<number>): Promise<number> {
  const begun = performance.now();
  const status = await work();
  if (status !== 200) throw new Error(`a calm request was answered ${status}`);
  return performance.now() - begun;
}

async function flood(loud: Ask, signal: AbortSignal, note: (status: number) => void) {
  const asked: Promise<void>[] = [];
  const begun = performance.now();
  while (!signal.aborted) {
    const due = ((performance.now() - begun) / 1_000) * floodPerSecond;
    while (asked.length < due) asked.push(loud(read).then(note));
    await pause(5);
  }
  await Promise.all(asked);
}

/** Doubles the work with every level of the value, within all limits of schemas. */
const worst = {
  properties: { a: { allOf: [{ not: { $ref: '#' } }, { not: { $ref: '#/$defs/same' } }] } },
  $defs: {
    same: {
      properties: {
        a: {
          allOf: [
            { not: { $ref: '#/$defs/same' } },
            { not: { not: { not: { $ref: '#/$defs/same' } } } },
          ],
        },
      },
    },
  },
};

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}

async function tryHostile(loud: Ask, signal: AbortSignal, note: (status: number) => void) {
  const one = async (resource: string) => {
    for (let round = 0; !signal.aborted; round += 1) {
      const description = `${round}`;
      const register = { provider: 'evil', resource, description, schema: worst };
      note(await loud({ method: 'POST', path: '/resources/register', body: register }));
      const named = { provider: 'evil', resource, name: `n${round}`, lifecycle_state: 'pending' };
      const body = { ...named, config: deep(55) };
      note(await loud({ method: 'POST', path: '/resources/apply', body }));
    }
  };
  await Promise.all([one('first'), one('second')]);
}

/** Some are answered by the rate limit, or by a busy API server: each is asked until it is done. */
async function prepare(loud: Ask, { types, prepare: made = () => [] }: Freeze): Promise<void> {
  const registered = types.map((type): Request => {
    const body = { provider, description: '', ...type };
    return { method: 'POST', path: '/resources/register', body };
  });
  for (const request of [...registered, ...made()]) {
    let status = await loud(request);
    for (let again = 0; busy.includes(status) && again < mostRepeats; again += 1) {
      await pause(1_000);
      status = await loud(request);
    }
    if (status !== 200) throw new Error(`${request.path} was answered ${status}`);
  }
}

const busy = [429, 503];
const mostRepeats = 30;

interface Repeated {
  readonly freeze: Freeze;
  readonly signal: AbortSignal;
  readonly note: (status: number) => void;
}

async function repeat(loud: Ask, { freeze, signal, note }: Repeated): Promise<void> {
  const sequences = freeze.repeat().map(async (requests) => {
    for (let at = 0; !signal.aborted; at += 1) {
      const status = await loud(requests[at % requests.length] ?? read);
      note(status);
      // What a flood does is measured apart.
      if (status === 429) await pause(limitedMs);
    }
  });
  await Promise.all(sequences);
}

/** @returns milliseconds of CPU to reject one token of an unknown issuer */
export async function garbageTokenCpuMs(): Promise<number> {
  const trusted = { issuer: 'https://issuer.test', audience: 'fairlead', algorithms: ['ES256'] };
  const issuers = [
    { ...trusted, organizationClaim: 'org_id', rolesClaim: 'roles', platform: false },
  ];
  const authenticator = createAuthenticator({ issuers, clock: systemClock, log: silentLog });
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const before = process.cpuUsage();
  for (let index = 0; index < garbageTokens; index += 1) {
    const claims = part({ iss: `https://nobody-${index}.test`, sub: 'x', exp: 4_000_000_000 });
    const token = `${part({ alg: 'ES256', kid: `${index}` })}.${claims}.${'A'.repeat(86)}`;
    await authenticator.authenticate(`Bearer ${token}`).catch(() => undefined);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / garbageTokens;
}
