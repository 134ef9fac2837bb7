// Measures the effect of one organization on another: the p99 of requests while the other organization floods, uses hostile schemas, or
// asks for what once kept the thread of all busy, relative to the p99 without load. As in an installation, API and controller are
// processes of their own. The control is the same load at another replica of the API: what it costs the machine, the API server and
// the controller, without the thread that both organizations share.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { organizationOf } from '../src/domain/identity.ts';
import { createAuthenticator } from '../src/http/auth/authenticate.ts';
import { systemClock } from '../src/lib/clock.ts';
import { silentLog } from '../src/lib/log.ts';
import type { CalmOrder } from './setup/calm-caller.ts';
import { type Freeze, freezes, provider, type Request } from './setup/freezes.ts';
import { openInstallation } from './setup/installation.ts';

/** Of each of the two replicas. */
const perSecond = 50;
const burst = 200;
const floodPerSecond = 500;
const calmPerSecond = 40;
const phaseMs = 8_000;
// The burst of the disturbing organization is spent by then, so the sustained load is measured.
const settleMs = 2_000;
const garbageTokens = 20_000;
/** Of one whose rate limit is spent. */
const limitedMs = 100;

/** Durations of the requests of one round. */
export interface Round {
  readonly quiet: readonly number[];
  readonly beside: readonly number[];
  /** With the same load at another replica. */
  readonly control: readonly number[];
  /** Answers to the disturbing organization, by status, at the replica of both and at the other. */
  readonly statuses: readonly Readonly<Record<number, number>>[];
}

export interface Neighbours {
  /** Ten times the limit, at a constant rate. */
  flood(): Promise<Round>;
  /** The most expensive accepted schema, registered and used repeatedly. */
  hostileSchemas(): Promise<Round>;
  /** One of `freezes`. */
  freeze(name: string): Promise<Round>;
  close(): Promise<void>;
}

/** @returns the status of the answer */
type Ask = (request: Request) => Promise<number>;

/** Callers of the disturbing organization: of the replica that the calm one calls, and of the other. */
interface Loud {
  readonly beside: Ask;
  readonly elsewhere: Ask;
}

/** @returns the durations of the requests of one phase */
type Calm = () => Promise<readonly number[]>;

export async function startNeighbours(): Promise<Neighbours> {
  const stack = new AsyncDisposableStack();
  const installation = stack.use(await openInstallation());
  const rates = { perSecond: 2 * perSecond, burst: 2 * burst, pushesPerMinute: 0 };
  const controller = installation.replica('controller', { parts: ['controller'] });
  const api = installation.replica('api', { parts: ['api'], rates });
  const other = installation.replica('other', { parts: ['api'], rates });
  await Promise.all([controller.start(), api.start(), other.start()]);
  const caller = async (url: string, organization: string) => {
    const pool = new Pool(url, { connections: 64, pipelining: 1 });
    stack.defer(() => pool.destroy());
    return callerOf(pool, await installation.token(organization));
  };
  const loud: Loud = {
    beside: await caller(api.url, 'loud'),
    elsewhere: await caller(other.url, 'loud'),
  };
  await (await caller(api.url, 'calm'))(draft);
  await loud.beside(draft);
  const calm = startCalm(stack, api.url, await installation.token('calm'));
  const namespace = organizationOf(installation.issuer, 'loud').namespace;
  const endpoint = await startHostileProvider(stack);
  await installation.raw.send(
    'POST',
    `/apis/fairlead.dev/v1alpha1/namespaces/${namespace}/providers`,
    {
      apiVersion: 'fairlead.dev/v1alpha1',
      kind: 'Provider',
      metadata: { name: provider, namespace },
      spec: { provider, endpoint },
    },
  );
  await calm();
  const compared = (disturb: Disturb) => compare(calm, loud, disturb);
  return {
    flood: () => compared(flood),
    hostileSchemas: () => compared(tryHostile),
    async freeze(name) {
      const freeze = freezes[name];
      if (freeze === undefined) throw new Error(`there is no ${name}`);
      await prepare(loud.elsewhere, freeze);
      return await compared((ask, phase) => repeat(ask, freeze, phase));
    },
    close: () => stack.disposeAsync(),
  };
}

/** Bodies are written once: the caller of the other organization shall have its processor. */
function callerOf(pool: Pool, token: string): Ask {
  const always = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const texts = new WeakMap<Request, string>();
  return async (request) => {
    const { method, path, body, headers } = request;
    const text = texts.get(request) ?? JSON.stringify(body);
    if (text !== undefined) texts.set(request, text);
    const answer = await pool.request({
      method,
      path,
      headers: { ...always, ...headers },
      ...(text === undefined ? {} : { body: text }),
    });
    await answer.body.dump({ limit: Number.POSITIVE_INFINITY });
    return answer.statusCode;
  };
}

/** In a process of its own: it shall measure no wait for the requests of the other organization. */
function startCalm(stack: AsyncDisposableStack, url: string, token: string): Calm {
  const child = fork(join(import.meta.dirname, 'setup/calm-caller.ts'));
  stack.defer(() => void child.kill());
  const order: CalmOrder = {
    url,
    token,
    path: read.path,
    count: (phaseMs / 1_000) * calmPerSecond,
    everyMs: 1_000 / calmPerSecond,
  };
  return async () => {
    child.send(order);
    const [took] = (await once(child, 'message')) as [readonly number[]];
    return took;
  };
}

/** @returns its URL */
async function startHostileProvider(stack: AsyncDisposableStack): Promise<string> {
  const file = join(import.meta.dirname, 'setup/hostile-provider.ts');
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  stack.defer(() => void child.kill());
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return line.toString().trim();
}

const draft: Request = {
  ...{ method: 'POST', path: '/resources/apply' },
  body: { provider: 'box', resource: 'crate', name: 'one', config: { name: 'one' } },
};
const read: Request = { method: 'GET', path: '/resources/box/crate/one' };

interface DisturbedPhase {
  readonly signal: AbortSignal;
  readonly note: (status: number) => void;
}

type Disturb = (ask: Ask, phase: DisturbedPhase) => Promise<void>;

/** Quiet, disturbed, control, quiet: drift of the machine affects all of them. */
async function compare(calm: Calm, loud: Loud, disturb: Disturb): Promise<Round> {
  const before = await calm();
  const beside = await during(calm, loud.beside, disturb);
  const control = await during(calm, loud.elsewhere, disturb);
  const after = await calm();
  return {
    quiet: [...before, ...after],
    beside: beside.took,
    control: control.took,
    statuses: [beside.statuses, control.statuses],
  };
}

async function during(calm: Calm, ask: Ask, disturb: Disturb) {
  const statuses: Record<number, number> = {};
  const stopping = new AbortController();
  const note = (status: number) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const disturbing = disturb(ask, { signal: stopping.signal, note });
  await pause(settleMs);
  const took = await calm();
  stopping.abort();
  await disturbing;
  return { took, statuses };
}

async function flood(ask: Ask, { signal, note }: DisturbedPhase) {
  const sent: Promise<void>[] = [];
  const begun = performance.now();
  while (!signal.aborted) {
    const due = ((performance.now() - begun) / 1_000) * floodPerSecond;
    while (sent.length < due) sent.push(ask(read).then(note));
    await pause(5);
  }
  await Promise.all(sent);
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

async function tryHostile(ask: Ask, { signal, note }: DisturbedPhase) {
  const one = async (resource: string) => {
    for (let round = 0; !signal.aborted; round += 1) {
      const description = `${round}`;
      const register = { provider: 'evil', resource, description, schema: worst };
      await asked(ask, { method: 'POST', path: '/resources/register', body: register }, note);
      const named = { provider: 'evil', resource, name: `n${round}`, lifecycle_state: 'pending' };
      const body = { ...named, config: deep(55) };
      await asked(ask, { method: 'POST', path: '/resources/apply', body }, note);
    }
  };
  await Promise.all([one('first'), one('second')]);
}

async function asked(ask: Ask, request: Request, note: DisturbedPhase['note']): Promise<void> {
  const status = await ask(request);
  note(status);
  // What a flood does is measured apart.
  if (status === 429) await pause(limitedMs);
}

/** Some are answered by the rate limit, or by a busy API server: each is asked until it is done. */
async function prepare(ask: Ask, { types, prepare: made = () => [] }: Freeze): Promise<void> {
  const registered = types.map((type): Request => {
    const body = { provider, description: '', ...type };
    return { method: 'POST', path: '/resources/register', body };
  });
  for (const request of [...registered, ...made()]) {
    let status = await ask(request);
    for (let again = 0; busy.includes(status) && again < mostRepeats; again += 1) {
      await pause(1_000);
      status = await ask(request);
    }
    if (status !== 200) throw new Error(`${request.path} was answered ${status}`);
  }
}

const busy = [429, 503];
const mostRepeats = 30;

async function repeat(ask: Ask, freeze: Freeze, { signal, note }: DisturbedPhase): Promise<void> {
  const sequences = freeze.repeat().map(async (requests) => {
    for (let at = 0; !signal.aborted; at += 1) {
      await asked(ask, requests[at % requests.length] ?? read, note);
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
