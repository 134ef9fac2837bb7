// Provides each test of a file with an issuer on loopback, an authenticator that trusts it, and manual time for both.
import { afterEach, beforeEach } from 'vitest';
import {
  type Authenticator,
  createAuthenticator,
  type IssuerSettings,
} from '../../../../src/http/auth/authenticate.ts';
import { silentLog } from '../../../../src/lib/log.ts';
import { tokenVerdict } from '../../fixtures/api/token-verdict.ts';
import { type ManualTime, manualTime } from '../../runner/manual-time.ts';
import { keysPath, type LoopbackIssuer, startLoopbackIssuer } from './loopback-issuer.ts';

export interface TrustedIssuer {
  /** The issuer of the current test. */
  issuer(): LoopbackIssuer;
  /** The time of the current test, in the authenticators and in tokens. */
  time(): ManualTime;
  /** The authenticator of the current test; it has no keys yet. */
  authenticator(): Authenticator;
  /** @returns another authenticator, without keys */
  trusting(...issuers: readonly IssuerSettings[]): Authenticator;
  /** @returns another authenticator, which trusts the issuer of the current test with changed settings */
  trustingWith(changes: Partial<IssuerSettings>): Authenticator;
  /** @returns `accepted`, or the code of the refusal by the authenticator of the current test, or by another */
  verdict(token: Promise<string> | string, by?: Authenticator): Promise<string>;
  /** @returns how often the keys were fetched */
  keyRequests(): number;
  /** @returns a token that no authenticator has in its cache */
  newToken(): Promise<string>;
}

/** Call it at the top of a test file: it starts an issuer before each test and closes it afterwards. */
export function trustedIssuer(): TrustedIssuer {
  let time: ManualTime;
  let issuer: LoopbackIssuer;
  let authenticator: Authenticator;

  beforeEach(async () => {
    time = manualTime();
    issuer = await startLoopbackIssuer(time.clock);
    authenticator = trusting(issuer.settings);
  });
  afterEach(() => issuer.close());

  function trusting(...issuers: readonly IssuerSettings[]): Authenticator {
    return createAuthenticator({ issuers, clock: time.clock, log: silentLog });
  }

  return {
    issuer: () => issuer,
    time: () => time,
    authenticator: () => authenticator,
    trusting,
    trustingWith: (changes) => trusting({ ...issuer.settings, ...changes }),
    verdict: (token, by = authenticator) => tokenVerdict(by, token),
    keyRequests: () => issuer.asked.filter((path) => path === keysPath).length,
    newToken: () => issuer.token({ jti: `${Math.random()}` }),
  };
}
