// Signs in at an issuer in the way that fits the machine: a browser where there is one, else a code for another device.
import type { Configuration } from 'openid-client';
import { usageError } from '../../terminal/errors/cli-error.ts';
import type { Invocation } from '../invocation.ts';
import type { SignInClient } from './discovery.ts';
import { openIssuer } from './issuer.ts';
import { hasBrowser } from './open-browser.ts';
import { hasDeviceFlow, signInTimedOut, signInWithBrowser, signInWithDevice } from './sign-in.ts';
import type { TokenAnswer } from './token-set.ts';

const standardTimeoutMs = 5 * 60_000;

/** @throws CliError when the issuer refuses, or the sign-in is not completed within `--timeout` */
export async function signInAt(client: SignInClient, invocation: Invocation): Promise<TokenAnswer> {
  const { environment, talk, questions, signal, timeoutMs = standardTimeoutMs } = invocation;
  const config = await openIssuer(client);
  const method = usesDevice(config, client, invocation) ? signInWithDevice : signInWithBrowser;
  const timeUp = new AbortController();
  const timer = setTimeout(() => timeUp.abort(signInTimedOut(timeoutMs)), timeoutMs);
  try {
    return await method({
      config,
      client,
      environment,
      talk,
      signal: AbortSignal.any([signal, timeUp.signal]),
      canAsk: questions.canAsk,
    });
  } finally {
    clearTimeout(timer);
  }
}

function usesDevice(
  config: Configuration,
  { issuer }: SignInClient,
  { flags, environment }: Invocation,
): boolean {
  if (!flags.on('device')) {
    return !flags.on('browser') && !hasBrowser(environment) && hasDeviceFlow(config);
  }
  if (hasDeviceFlow(config)) return true;
  throw usageError(`${issuer} offers no codes for devices.`, 'fairlead login --browser');
}
