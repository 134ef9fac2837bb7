// Failures that Fairlead itself finds in answers. Pure.
import type { FailureCode } from '../domain/failures/failure-codes.ts';
import type { Answer, Failure } from './protocol.ts';

export function retryable(code: FailureCode, message: string): Failure {
  return { kind: 'failed', terminal: false, code, message };
}

export function terminal(code: FailureCode, message: string): Answer {
  return { kind: 'failed', terminal: true, code, message };
}
