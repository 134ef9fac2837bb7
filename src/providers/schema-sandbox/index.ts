// Sandboxes tenants' JSON Schemas. A walk rejects unsupported schemas; compilation and validation run in workers with a
// deadline. A timeout never counts as valid.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ErrorCode, FairleadError, type Violation } from '../../domain/errors.ts';
import type { Log } from '../../domain/log.ts';
import { silentLog } from '../../domain/log.ts';
import { type SchemaSandbox, UnusableSchema } from '../../domain/schema.ts';
import { createPool, type PoolOptions } from './pool.ts';
import type { CutBy, Outcome } from './runner.ts';
import { walkSchema } from './walk.ts';

export interface SchemaSandboxOptions extends Partial<PoolOptions> {
  /** Milliseconds of computing that one schema may take to compile. */
  readonly checkMs?: number;
  /** Milliseconds of computing that one value may take to be judged. */
  readonly validateMs?: number;
  readonly log?: Log;
}

/** After so many overruns a schema is not run again for a while: one tenant's schema must not hold the workers of all. */
const strikesAllowed = 3;
const strikesForgottenMs = 60_000;

/** A tenth of what a usual thread gets beside it: what is not hostile after all still gets done. */
const nicenessOfSuspects = 10;

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

/** Starts nothing until the first schema comes. */
export function createSchemaSandbox({
  checkMs = 1_000,
  validateMs = 1_000,
  log = silentLog,
  ...pooled
}: SchemaSandboxOptions = {}): SchemaSandbox {
  const options = { ...defaults, ...pooled };
  const pool = createPool(options);
  // Whoever was cut off lately works here, behind everything else: a core full of hostile work would slow everybody down.
  // Not for all: on a busy machine what steps back gets nothing done.
  const suspectPool = createPool({ ...options, workers: 1, niceness: nicenessOfSuspects });
  const suspects = new LRUCache<string, true>({ max: 10_000, ttl: strikesForgottenMs });
  const strikes = new LRUCache<string, number>({ max: 10_000, ttl: strikesForgottenMs });

  /** Of one value and its schema: a schema that another value holds up may judge this one well. */
  const strikesOfValues = new LRUCache<string, number>({ max: 10_000, ttl: strikesForgottenMs });

  // Counted for each tenant alone: hostile values for a schema must not turn off the same schema of another tenant.
  const strikeKey = (hash: string, tenant: string | undefined) => `${tenant ?? ''}/${hash}`;

  function recordOverrun(hash: string, tenant: string | undefined, outcome: Outcome): void {
    if (outcome.kind !== 'cut') return;
    const key = strikeKey(hash, tenant);
    strikes.set(key, (strikes.get(key) ?? 0) + 1);
    suspects.set(tenant ?? '', true);
    log.warn({ schema: hash, tenant, by: outcome.by }, 'a schema was cut off in the sandbox');
  }

  function isStruckOut(hash: string, tenant: string | undefined): boolean {
    return (strikes.get(strikeKey(hash, tenant)) ?? 0) >= strikesAllowed;
  }

  function requireNotStruckOut(job: ValueJob, tenant: string | undefined): void {
    if (!isStruckOut(job.hash, tenant)) return;
    const ofValue = strikesOfValues.get(valueKey(job, tenant)) ?? 0;
    throw ofValue >= strikesAllowed ? new UnusableSchema(cutOff) : unanswered();
  }

  function strikeValue(job: ValueJob, tenant: string | undefined): void {
    const key = valueKey(job, tenant);
    strikesOfValues.set(key, (strikesOfValues.get(key) ?? 0) + 1);
  }

  const poolOf = (tenant: string | undefined) => (suspects.has(tenant ?? '') ? suspectPool : pool);

  return {
    async checkSchema(schema, tenant) {
      const { violations, patterns } = walkSchema(schema);
      if (violations.length > 0) return violations;
      const text = JSON.stringify(schema);
      const hash = hashOf(text);
      if (isStruckOut(hash, tenant)) return [unusable(reasons.time)];
      const job = { kind: 'check', hash, schema: text, patterns } as const;
      const outcome = await poolOf(tenant).run(job, { ms: checkMs, tenant });
      recordOverrun(hash, tenant, outcome);
      if (outcome.kind === 'done') return outcome.violations;
      return [unusable(reasons[outcome.kind === 'cut' ? outcome.by : 'crash'])];
    },
    async validate(schema, value, tenant) {
      const text = JSON.stringify(schema);
      const hash = hashOf(text);
      // Definitions can also be written by others than this service: what they hold is walked again.
      const [refused] = walkSchema(schema).violations;
      if (refused !== undefined) throw new UnusableSchema(whyRefused(refused));
      const job = { kind: 'validate', hash, schema: text, value: JSON.stringify(value) } as const;
      requireNotStruckOut(job, tenant);
      const outcome = await poolOf(tenant).run(job, { ms: validateMs, tenant });
      recordOverrun(hash, tenant, outcome);
      if (outcome.kind === 'cut') strikeValue(job, tenant);
      if (outcome.kind !== 'done') throw unanswered();
      return outcome.violations;
    },
    close: async () => {
      await Promise.all([pool.close(), suspectPool.close()]);
    },
  };
}

const cutOff = `judging the config takes too much time or memory, ${strikesAllowed} times in a row`;

function whyRefused({ loc, msg }: Violation): string {
  return `the schema is not supported: ${[...loc, msg].join('.').slice(0, 500)}`;
}

interface ValueJob {
  readonly hash: string;
  readonly value: string;
}

function valueKey({ hash, value }: ValueJob, tenant = ''): string {
  return `${tenant}/${hash}/${hashOf(value)}`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function unusable(reason: string): Violation {
  return { loc: [], msg: `Schema ${reason}`, type: 'value_error' };
}

function unanswered(): FairleadError {
  return new FairleadError(
    ErrorCode.unavailable,
    'The config could not be checked against the schema of its type',
    { retryAfter: 60 },
  );
}
