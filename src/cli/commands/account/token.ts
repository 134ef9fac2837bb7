// `fairlead token`: prints a token that is valid for a while, for other programs.
import type { Invocation } from '../../session/invocation.ts';
import { StoredTokens } from '../../session/login/stored-tokens.ts';
import { tokenClaims } from '../../session/login/token-set.ts';
import { givenToken } from '../../session/login/tokens.ts';

interface PrintedToken {
  readonly token: string;
  /** Seconds since 1970. */
  readonly expiresAt: number | undefined;
}

export async function token(invocation: Invocation): Promise<void> {
  const { flags, output } = invocation;
  const printed = await tokenOf(invocation);
  if (flags.on('exec-credential')) output.json(execCredential(printed));
  else if (!output.isForPeople) output.json(plainRecord(printed));
  else output.line(flags.on('header') ? `Authorization: Bearer ${printed.token}` : printed.token);
}

async function tokenOf({
  flags,
  context,
  environment,
  globals,
}: Invocation): Promise<PrintedToken> {
  const given = await givenToken({ environment, globals });
  if (given !== undefined) {
    const { exp } = tokenClaims(given.token) ?? {};
    return { token: given.token, expiresAt: typeof exp === 'number' ? exp : undefined };
  }
  const leastSeconds = (flags.duration('min-valid') ?? 0) / 1_000;
  const login = await new StoredTokens(await context(), { environment }).login(leastSeconds);
  return { token: login.access_token, expiresAt: login.expires_at };
}

function expiryTime({ expiresAt }: PrintedToken): string | null {
  return expiresAt === undefined ? null : new Date(expiresAt * 1_000).toISOString();
}

function plainRecord(printed: PrintedToken) {
  return { token: printed.token, expires_at: expiryTime(printed) };
}

/** The object that kubectl expects of a credential plugin (client.authentication.k8s.io/v1). */
function execCredential(printed: PrintedToken) {
  const time = expiryTime(printed);
  return {
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: {
      token: printed.token,
      ...(time === null ? {} : { expirationTimestamp: time.replace(/\.\d+Z$/, 'Z') }),
    },
  };
}
