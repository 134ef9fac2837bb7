// Answers for a request that waits for a provider, when that does not answer or its answer cannot be used.
import { FairleadError } from '../../domain/errors.ts';

const retrySeconds = 5;

export function providerUnavailable(message: string): FairleadError {
  return new FairleadError('unavailable', message, { retryAfter: retrySeconds });
}

/** @param asked the type of the request  @param expected what a provider answers to it */
export function unusableAnswer(provider: string, asked: string, expected: string): FairleadError {
  return providerUnavailable(
    `Provider ${provider} gave an answer to ${asked} that cannot be used; expected 200 with ${expected}`,
  );
}
