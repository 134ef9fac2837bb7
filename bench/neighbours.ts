// Measures the effect of one organization on another: the p99 of requests while the other organization floods or uses hostile
// schemas, relative to the p99 without load. Limits have their defaults.
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { createAuthenticator } from '../src/http/auth/authenticate.ts';
import { systemClock } from '../src/lib/clock.ts';
import { silentLog } from '../src/lib/log.ts';
import { Fairlead } from '../test/support/servers/fairlead.ts';
import {
  manyNames,
  nestedForms,
  plainPatterns,
  wideForm,
} from '../test/support/worst-inputs/hostile-schemas.ts';
import { members, times, tree } from '../test/support/worst-inputs/hostile-values.ts';
import { percentile } from './measure.ts';

const limits = { FAIRLEAD_RATE_LIMIT: '50', FAIRLEAD_RATE_BURST: '200' };
const floodPerSecond = 500;
const calmPerSecond = 40;
const phaseMs = 8_000;
// The burst of the disturbing organization is spent by then, so the sustained load is measured.
const settleMs = 2_000;
const garbageTokens = 20_000;

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
  /** Values that are compared with schemas, read and written repeatedly: what that costs is the thread's of the API. */
  worstValues(): Promise<Phase>;
  close(): Promise<void>;
}

type Ask = (method: 'GET' | 'POST', path: string, body?: unknown) => Promise<number>;

export async function startNeighbours(): Promise<Neighbours> {
  const fairlead = await Fairlead.start({ env: limits });
  const pool = new Pool(fairlead.url, { connections: 64, pipelining: 1 });
  const calm = await callerOf(fairlead, pool, 'calm');
  const loud = await callerOf(fairlead, pool, 'loud');
  await calm('POST', '/resources/apply', draft('one'));
  await loud('POST', '/resources/apply', draft('one'));
  await quiet(calm);
  return {
    flood: () => compare(calm, (signal, note) => flood(loud, signal, note)),
    hostileSchemas: () => compare(calm, (signal, note) => tryHostile(loud, signal, note)),
    worstValues: () => compare(calm, (signal, note) => tryWorstValues(loud, signal, note)),
    close: async () => {
      await pool.destroy();
      await fairlead.destroy();
    },
  };
}

async function callerOf(fairlead: Fairlead, pool: Pool, organization: string): Promise<Ask> {
  const { token } = await fairlead.caller(organization);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return async (method, path, body) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await pool.request({ method, path, headers, ...sent });
    await answer.body.dump();
    return answer.statusCode;
  };
}

const draft = (name: string) => ({ provider: 'box', resource: 'crate', name, config: { name } });

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
    took.push(timed(() => calm('GET', '/resources/box/crate/one')));
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
    while (asked.length < due) asked.push(loud('GET', '/resources/box/crate/one').then(note));
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
      note(await loud('POST', '/resources/register', register));
      const named = { provider: 'evil', resource, name: `n${round}`, lifecycle_state: 'pending' };
      note(await loud('POST', '/resources/apply', { ...named, config: deep(55) }));
    }
  };
  await Promise.all([one('first'), one('second')]);
}

const marked = { writeOnly: true };

/** Names of members with all plain patterns, those of a schema with all schemas, and references to outputs that are missing. */
const valuesOfTypes = {
  patterns: { schema: plainPatterns(marked), config: () => members(() => 1, { prefix: 'x0-' }) },
  names: {
    schema: manyNames(marked),
    config: () => tree(times(20, (at) => `0${at.toString(36)}`)),
  },
  forms: { schema: nestedForms(wideForm), config: () => members(reference) },
};

function reference(name: string): string {
  return `\${evil/forms/forms.outputs.${name}}`;
}

async function tryWorstValues(loud: Ask, signal: AbortSignal, note: (status: number) => void) {
  const one = async ([resource, { schema, config }]: [string, (typeof valuesOfTypes)['names']]) => {
    const type = { provider: 'evil', resource };
    const outputs_schema = nestedForms(wideForm);
    await loud('POST', '/resources/register', { ...type, description: '', schema, outputs_schema });
    const body = { ...type, name: resource, lifecycle_state: 'draft', config: config() };
    while (!signal.aborted) {
      note(await loud('POST', '/resources/apply', body));
      note(await loud('GET', `/resources/evil/${resource}/${resource}`));
      note(await loud('GET', '/resources/?limit=100'));
    }
  };
  await Promise.all(Object.entries(valuesOfTypes).map(one));
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
