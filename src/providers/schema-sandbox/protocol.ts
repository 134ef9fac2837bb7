// Defines the messages between the pool and its workers. Schemas and values travel as JSON text, which can hold nothing
// else.
import type { Violation } from '../../domain/errors.ts';
import type { FoundPattern } from './walk.ts';

export interface CheckJob {
  readonly kind: 'check';
  /** The hash of the schema's text. */
  readonly hash: string;
  readonly schema: string;
  readonly patterns: readonly FoundPattern[];
}

export interface ValidateJob {
  readonly kind: 'validate';
  readonly hash: string;
  readonly schema: string;
  readonly value: string;
}

export type SandboxJob = CheckJob | ValidateJob;

export type WorkerAnswer =
  | { readonly kind: 'ready' }
  /** `worn`: the worker has compiled so much that it should be replaced. */
  | { readonly kind: 'done'; readonly violations: readonly Violation[]; readonly worn: boolean }
  | { readonly kind: 'failed'; readonly worn: boolean };
