// Runs in a worker thread: compiles schemas and validates values, one job at a time, until it is terminated.
import { parentPort } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { Violation } from '../../domain/errors.ts';
import type { JsonObject, JsonValue } from '../../lib/json.ts';
import { compileSchema, type Judge } from './compile.ts';
import { patternProblem } from './patterns.ts';
import type { CheckJob, SandboxJob, ValidateJob, WorkerAnswer } from './protocol.ts';

/** Memory of compiled code is not reliably freed; a new worker starts clean. */
const compilesInALife = 1_000;

/** Weighted by schema text: worker memory is bounded, and compiled code is many times the text. */
const judges = new LRUCache<string, Judge>({ max: 200, maxSize: 512 * 1024 });
let compiles = 0;

function judgeFor({ hash, schema }: SandboxJob): Judge {
  const known = judges.get(hash);
  if (known !== undefined) return known;
  compiles += 1;
  const judge = compileSchema(parseSchema(schema));
  judges.set(hash, judge, { size: schema.length });
  return judge;
}

function checkSchema(job: CheckJob): readonly Violation[] {
  const violations: Violation[] = [];
  for (const { loc, pattern } of job.patterns) {
    const msg = patternProblem(pattern);
    if (msg !== undefined) violations.push({ loc, msg, type: 'value_error' });
  }
  if (violations.length > 0) return violations.slice(0, 20);
  try {
    judgeFor(job);
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 200) : 'it cannot be compiled';
    return [{ loc: [], msg: `Schema is not usable: ${reason}`, type: 'value_error' }];
  }
}

function validate(job: ValidateJob): readonly Violation[] {
  const value: JsonValue = JSON.parse(job.value);
  return judgeFor(job)(value);
}

function runJob(job: SandboxJob): WorkerAnswer {
  try {
    const violations = job.kind === 'check' ? checkSchema(job) : validate(job);
    return { kind: 'done', violations, worn: compiles >= compilesInALife };
  } catch {
    return { kind: 'failed', worn: compiles >= compilesInALife };
  }
}

function parseSchema(schema: string): JsonObject {
  return JSON.parse(schema);
}

parentPort?.on('message', (job: SandboxJob) => parentPort?.postMessage(runJob(job)));
parentPort?.postMessage({ kind: 'ready' } satisfies WorkerAnswer);
