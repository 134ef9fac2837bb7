// Reduces the result of an authenticator to one word.
import { FairleadError } from '../../src/domain/errors.ts';
import type { Authenticator } from '../../src/http/auth/authenticate.ts';

/** @returns `accepted`, or the code of the refusal; anything else that is thrown is thrown on */
export async function headerVerdict(
  authenticator: Authenticator,
  header: string | undefined,
): Promise<string> {
  try {
    await authenticator.authenticate(header);
    return 'accepted';
  } catch (thrown) {
    if (thrown instanceof FairleadError) return thrown.code;
    throw thrown;
  }
}

export async function tokenVerdict(
  authenticator: Authenticator,
  token: Promise<string> | string,
): Promise<string> {
  return headerVerdict(authenticator, `Bearer ${await token}`);
}
