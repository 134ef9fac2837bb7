// Sandboxes tenants' JSON Schemas. A walk rejects unsupported schemas; compilation and validation run in workers with a
// deadline. A timeout never counts as valid.
import { LRUCache } from 'lru-cache';
import { FairleadError, type Violation } from '../../domain/errors.ts';
import { sha256Hex } from '../../domain/identity.ts';
import { type SchemaSandbox, UnusableSchema } from '../../domain/schemas/schema.ts';
import { canonicalJson, type JsonObject, type JsonValue } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import { silentLog } from '../../lib/log.ts';
import { createPool, type PoolOptions } from './pool.ts';
import { inspectSchema } from './rules.ts';
import type { CutBy, JobOutcome } from './runner.ts';
import { walkSchema } from './walk.ts';

export interface SchemaSandboxOptions extends Partial<PoolOptions> {
  /** CPU time limit for compiling one schema, in milliseconds. */
  readonly checkMs?: number;
  /** CPU time limit for validating one value, in milliseconds. */
  readonly validateMs?: number;
  readonly log?: Log;
}

/** After so many timeouts a schema is blocked for a while: one tenant's schema must not hold all workers. */
const strikesAllowed = 3;
const strikesForgottenMs = 60_000;

/** A tenth of a usual thread's share: a suspect that is not hostile still completes. */
const nicenessOfSuspects = 10;

/** Accepted values: enough for the configs on their way from the API to the controller. */
const acceptancesKept = 4_096;

const reasons: Readonly<Record<CutBy, string>> = {
  time: 'takes too long to compile',
  memory: 'takes too much memory to compile',
  crash: 'cannot be compiled',
};

const defaults: PoolOptions = {
  workers: 2,
  startMs: 30_000,
  memoryMb: 64,
  queueLimit: 512,
  waitMs: 10_000,
};

/** Starts no worker before the first schema. */
export function createSchemaSandbox({
  checkMs = 1_000,
  validateMs = 1_000,
  log = silentLog,
  ...pooled
}: SchemaSandboxOptions = {}): SchemaSandbox {
  const options = { ...defaults, ...pooled };
  const pool = createPool(options);
  // Runs tenants with a recent timeout at low priority: a core full of hostile work would slow everybody down. Not for
  // everybody: on a busy machine low-priority work never completes.
  const suspectPool = createPool({ ...options, workers: 1, niceness: nicenessOfSuspects });
  const suspects = new LRUCache<string, true>({ max: 10_000, ttl: strikesForgottenMs });
  const strikes = new LRUCache<string, number>({ max: 10_000, ttl: strikesForgottenMs });

  /** Counts per value and schema: a schema that times out for one value may validate another one well. */
  const strikesOfValues = new LRUCache<string, number>({ max: 10_000, ttl: strikesForgottenMs });

  // The API and the controller validate the same config, and the result depends on nothing but schema and value.
  const acceptances = new LRUCache<string, true>({ max: acceptancesKept });
  const prepared = new WeakMap<JsonObject, PreparedSchema>();

  function prepare(schema: JsonObject): PreparedSchema {
    const known = prepared.get(schema);
    if (known !== undefined) return known;
    const text = JSON.stringify(schema);
    // Others than this service can write definitions, so they are checked again.
    const [refused] = walkSchema(schema).violations;
    const made = { text, hash: sha256Hex(text), refused };
    prepared.set(schema, made);
    return made;
  }

  // Counts per tenant: hostile values for a schema must not disable the same schema of another tenant.
  const strikeKey = (hash: string, tenant: string | undefined) => `${tenant ?? ''}/${hash}`;

  function recordOverrun(hash: string, tenant: string | undefined, outcome: JobOutcome): void {
    if (outcome.kind !== 'cut') return;
    const key = strikeKey(hash, tenant);
    strikes.set(key, (strikes.get(key) ?? 0) + 1);
    suspects.set(tenant ?? '', true);
    log.warn({ schema: hash, tenant, by: outcome.by }, 'Schema job stopped in the sandbox');
  }

  function isStruckOut(hash: string, tenant: string | undefined): boolean {
    return (strikes.get(strikeKey(hash, tenant)) ?? 0) >= strikesAllowed;
  }

  function requireNotStruckOut(job: ValueJob, tenant: string | undefined): void {
    if (!isStruckOut(job.hash, tenant)) return;
    const ofValue = strikesOfValues.get(valueKey(job, tenant)) ?? 0;
    throw ofValue >= strikesAllowed ? new UnusableSchema(cutOff) : uncheckedConfig();
  }

  function strikeValue(job: ValueJob, tenant: string | undefined): void {
    const key = valueKey(job, tenant);
    strikesOfValues.set(key, (strikesOfValues.get(key) ?? 0) + 1);
  }

  const poolOf = (tenant: string | undefined) => (suspects.has(tenant ?? '') ? suspectPool : pool);

  return {
    async checkSchema(schema, tenant, of) {
      const { violations, patterns } = inspectSchema(schema, of);
      if (violations.length > 0) return violations;
      const text = JSON.stringify(schema);
      const hash = sha256Hex(text);
      if (isStruckOut(hash, tenant)) return [unusableSchema(reasons.time)];
      const job = { kind: 'check', hash, schema: text, patterns } as const;
      const outcome = await poolOf(tenant).run(job, { ms: checkMs, tenant });
      recordOverrun(hash, tenant, outcome);
      if (outcome.kind === 'done') return outcome.violations;
      return [unusableSchema(reasons[outcome.kind === 'cut' ? outcome.by : 'crash'])];
    },
    async validate(schema, value, tenant) {
      const { text, hash, refused } = prepare(schema);
      if (refused !== undefined) throw new UnusableSchema(whyRefused(refused));
      const acceptance = acceptanceKey(hash, value, tenant);
      if (acceptances.get(acceptance) === true) return [];
      const job = { kind: 'validate', hash, schema: text, value: JSON.stringify(value) } as const;
      requireNotStruckOut(job, tenant);
      const outcome = await poolOf(tenant).run(job, { ms: validateMs, tenant });
      recordOverrun(hash, tenant, outcome);
      if (outcome.kind === 'cut') strikeValue(job, tenant);
      if (outcome.kind !== 'done') throw uncheckedConfig();
      if (outcome.violations.length === 0) acceptances.set(acceptance, true);
      return outcome.violations;
    },
    close: async () => {
      await Promise.all([pool.close(), suspectPool.close()]);
    },
  };
}

const cutOff = `validating the config took too much time or memory ${strikesAllowed} times in a row`;

function whyRefused({ loc, msg }: Violation): string {
  return `the schema is not supported: ${[...loc, msg].join('.').slice(0, 500)}`;
}

interface PreparedSchema {
  readonly text: string;
  readonly hash: string;
  /** Why the schema can validate nothing. */
  readonly refused: Violation | undefined;
}

/** The API server returns the members of a config in another order than it received them. */
function acceptanceKey(hash: string, value: JsonValue, tenant = ''): string {
  return sha256Hex(`${tenant}/${hash}/${canonicalJson(value)}`);
}

interface ValueJob {
  readonly hash: string;
  readonly value: string;
}

function valueKey({ hash, value }: ValueJob, tenant = ''): string {
  return `${tenant}/${hash}/${sha256Hex(value)}`;
}

function unusableSchema(reason: string): Violation {
  return { loc: [], msg: `Schema ${reason}`, type: 'value_error' };
}

function uncheckedConfig(): FairleadError {
  return new FairleadError(
    'unavailable',
    'The config could not be checked against the schema of its type',
    { retryAfter: 60 },
  );
}
