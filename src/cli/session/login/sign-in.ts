// Signs a person in: with a browser (authorization code with PKCE, answered on loopback or by pasting the address), or with a
// code that is typed on another device (RFC 8628).
import type { Configuration } from 'openid-client';
import { elapsed } from '../../../client/time.ts';
import { safeLine } from '../../../client/width.ts';
import type { Environment } from '../../terminal/environment.ts';
import { CliError, usageError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import type { Talk } from '../../terminal/talk.ts';
import type { Invocation } from '../invocation.ts';
import { isAnswerTo, listenForCallback } from './callback.ts';
import type { SignInClient } from './discovery.ts';
import { issuerError, openIssuer, resourceParameter } from './issuer.ts';
import { hasBrowser, openBrowser } from './open-browser.ts';
import type { TokenAnswer } from './token-set.ts';

interface SignInDeps {
  readonly config: Configuration;
  readonly client: SignInClient;
  readonly environment: Environment;
  readonly talk: Talk;
  /** Ends the wait: Ctrl-C, or the time is up. */
  readonly signal: AbortSignal;
  /** Whether an address can be pasted. */
  readonly canAsk: boolean;
}

/** @throws CliError when the issuer rejects the sign-in or it is not completed in time */
async function signInWithBrowser(deps: SignInDeps): Promise<TokenAnswer> {
  const { config, client, talk, environment } = deps;
  const openid = await import('openid-client');
  const [verifier, state, nonce] = [
    openid.randomPKCECodeVerifier(),
    openid.randomState(),
    openid.randomNonce(),
  ];
  const callback = await listenForCallback(state);
  try {
    const url = openid.buildAuthorizationUrl(config, {
      ...client.parameters,
      redirect_uri: callback.redirectUri,
      ...resourceParameter(client),
      scope: client.scope,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    const isOpen = await openBrowser(url, environment);
    talk.lines([
      isOpen ? `Sign in with your browser. If it does not open:` : 'Sign in with a browser at:',
      `  ${url.href}`,
    ]);
    const answer = await firstAnswer(callback.answered, { ...deps, state });
    const checks = {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: client.scope.split(' ').includes('openid'),
    };
    return await openid.authorizationCodeGrant(config, answer, checks, resourceParameter(client));
  } catch (thrown) {
    throw issuerError(thrown, client.issuer);
  } finally {
    callback.close();
  }
}

/** The answer comes to the listener or, where that is on another machine than the browser, from the clipboard. */
async function firstAnswer(
  listened: Promise<URL>,
  { signal, canAsk, talk, state }: SignInDeps & { readonly state: string },
): Promise<URL> {
  const ending = new AbortController();
  const either = AbortSignal.any([signal, ending.signal]);
  const aborted = new Promise<never>((_, reject) => {
    const fail = () => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
  try {
    const pasted = canAsk ? [pastedAnswer(state, talk, either)] : [];
    return await Promise.race([listened, aborted, ...pasted]);
  } finally {
    ending.abort();
  }
}

async function pastedAnswer(state: string, talk: Talk, signal: AbortSignal): Promise<URL> {
  const { createInterface } = await import('node:readline');
  talk.lines(['Or paste the address that the browser was sent to, and press Enter:']);
  const lines = createInterface({ input: process.stdin, signal });
  return await new Promise((resolve) => {
    lines.on('line', (line) => {
      const text = line.trim();
      const url = URL.canParse(text) ? new URL(text) : undefined;
      if (url !== undefined && isAnswerTo(url, state)) resolve(url);
      else if (text !== '') talk.lines(['This is not the address of this sign-in.']);
    });
  });
}

/** @throws CliError when the issuer refuses, the code expires or the sign-in is not completed in time */
export async function signInWithDevice(deps: SignInDeps): Promise<TokenAnswer> {
  const { config, client, talk, signal } = deps;
  const openid = await import('openid-client');
  try {
    const started = await openid.initiateDeviceAuthorization(config, {
      ...client.parameters,
      ...resourceParameter(client),
      scope: client.scope,
    });
    talk.lines([
      `Open ${safeLine(started.verification_uri_complete ?? started.verification_uri)}`,
      `and check that it shows the code ${safeLine(started.user_code)}`,
    ]);
    const parameters = resourceParameter(client);
    return await openid.pollDeviceAuthorizationGrant(config, started, parameters, { signal });
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    throw issuerError(thrown, client.issuer);
  }
}

/** @returns whether the issuer offers codes for devices */
function hasDeviceFlow(config: Configuration): boolean {
  return config.serverMetadata().device_authorization_endpoint !== undefined;
}

/** The person did not sign in within the time. */
function signInTimedOut(milliseconds: number): CliError {
  return new CliError(`The sign-in was not completed within ${elapsed(milliseconds)}.`, {
    exit: ExitCode.timedOut,
    next: 'fairlead login',
  });
}

// Signs in at an issuer in the way that fits the machine: a browser where there is one, else a code for another device.

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
