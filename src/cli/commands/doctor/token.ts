// The check of `fairlead doctor` for the token: whether the API accepts it, and what it makes of its claims.

import { clockTime } from '../../../client/time.ts';
import type { Invocation } from '../../session/invocation.ts';
import { StoredTokens } from '../../session/login/stored-tokens.ts';
import { claimFacts } from '../../session/login/token-set.ts';
import { givenToken } from '../../session/login/tokens.ts';
import { ApiError } from '../../terminal/errors/api-error.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';

/** @throws CliError with the claims of a token that the API refuses */
export async function tokenText(invocation: Invocation): Promise<string> {
  const { environment, context } = invocation;
  const given = await givenToken(invocation);
  const login =
    given === undefined
      ? await new StoredTokens(await context(), { environment }).login()
      : undefined;
  try {
    const me = await (await invocation.api()).call('getMe', {});
    const end =
      login === undefined
        ? `token of ${given?.source}`
        : `until ${clockTime(new Date(login.expires_at * 1_000), environment.now())}`;
    return `${me.organization_id} as ${me.display ?? me.subject} (${me.role}), ${end}`;
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    throw new CliError(thrown.message, {
      exit: thrown.exit,
      facts: claimFacts(given?.token ?? login?.access_token ?? ''),
      ...(thrown.next === undefined ? {} : { next: thrown.next }),
    });
  }
}
