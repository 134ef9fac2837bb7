// Reads tokens from the store, and refreshes them: one process at a time, and the others adopt its result. Two refreshes with
// one token would end the login, because issuers treat the second as theft.

import { clockTime } from '../../../client/time.ts';
import { shell } from '../../../client/words/shell-word.ts';
import type { Environment } from '../../terminal/environment.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import type { TokenSource } from '../api/client.ts';
import type { Context } from '../context/resolve.ts';
import {
  findLogin,
  isSameLogin,
  type Login,
  readLogins,
  withLoginsLocked,
  writeLogins,
} from './credentials.ts';
import { critically } from './critical.ts';
import { isFresh, secondsLeft, tokensOf } from './token-set.ts';

/** Exchanges a refresh token. @throws an error whose `error` is `invalid_grant` when the login has ended */
export type TokenRefresh = (login: Login) => Promise<Login>;

export class StoredTokens implements TokenSource {
  readonly #context: Pick<Context, 'url' | 'name'>;
  readonly #environment: Environment;
  readonly #refresh: TokenRefresh;
  #renewal: Promise<Login> | undefined;

  constructor(
    context: Pick<Context, 'url' | 'name'>,
    { environment, refresh }: { environment: Environment; refresh?: TokenRefresh },
  ) {
    this.#context = context;
    this.#environment = environment;
    this.#refresh = refresh ?? refreshAtIssuer(environment);
  }

  async token(): Promise<string> {
    return (await this.login()).access_token;
  }

  /** @param leastSeconds that the token must still be valid. @throws CliError without a login */
  async login(leastSeconds = 0): Promise<Login> {
    const login = this.#read();
    const isUsable = (each: Login) => isFresh(each, this.#environment.now(), leastSeconds);
    return isUsable(login) ? login : await this.#renew(login, isUsable);
  }

  async renewed(refused: string): Promise<string | undefined> {
    const isOther = (each: Login) => each.access_token !== refused;
    const login = this.#read();
    return (isOther(login) ? login : await this.#renew(login, isOther)).access_token;
  }

  #read(): Login {
    const login = findLogin(readLogins(this.#environment), this.#context);
    if (login === undefined) throw this.#notSignedIn();
    return login;
  }

  /** One renewal at a time in this process too. */
  #renew(login: Login, isUsable: (login: Login) => boolean): Promise<Login> {
    this.#renewal ??= this.#renewOnce(login, isUsable).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #renewOnce(login: Login, isUsable: (login: Login) => boolean): Promise<Login> {
    if (login.refresh_token === undefined) return this.#asItIs(login, this.#notSignedIn(login));
    try {
      return await withLoginsLocked(this.#environment, async () => {
        // The process that had the lock before may have refreshed it.
        const now = this.#read();
        return isUsable(now) ? now : await critically(() => this.#exchange(now));
      });
    } catch (thrown) {
      if (thrown instanceof CliError && thrown.exit === ExitCode.unreachable) {
        return this.#asItIs(login, thrown);
      }
      throw thrown;
    }
  }

  async #exchange(login: Login): Promise<Login> {
    try {
      const next = await this.#refresh(login);
      const others = readLogins(this.#environment).filter((each) => !isSameLogin(each, login));
      writeLogins(this.#environment, [...others, next]);
      return next;
    } catch (thrown) {
      if ((thrown as { error?: unknown }).error !== 'invalid_grant') throw thrown;
      return this.#afterInvalidGrant(login);
    }
  }

  /** A store on a network file system may have a lock on each machine: then another one has refreshed. */
  #afterInvalidGrant(login: Login): Login {
    const logins = readLogins(this.#environment);
    const now = logins.find((each) => isSameLogin(each, login));
    if (now !== undefined && now.refresh_token !== login.refresh_token) return now;
    writeLogins(
      this.#environment,
      logins.filter((each) => !isSameLogin(each, login)),
    );
    throw this.#notSignedIn(login);
  }

  /** Uses a token while it is valid. @throws the error when it is not */
  #asItIs(login: Login, error: CliError): Login {
    if (secondsLeft(login, this.#environment.now()) > 0) return login;
    throw error;
  }

  #notSignedIn(ended?: Login): CliError {
    const { url, name } = this.#context;
    const now = this.#environment.now();
    const end =
      ended === undefined
        ? ''
        : ` (the login of ${clockTime(new Date(ended.refreshed_at * 1_000), now)} has ended)`;
    return new CliError(`Not signed in to ${url.origin}${end}.`, {
      exit: ExitCode.notAllowed,
      next: name === undefined ? shell`fairlead login ${url.origin}` : 'fairlead login',
    });
  }
}

/** @returns the refresh at the issuer of a login */
function refreshAtIssuer({ now }: Environment): TokenRefresh {
  return async (login) => {
    const { openIssuer, issuerError, oauthCodeOf, resourceParameter } = await import('./issuer.ts');
    const { refreshTokenGrant } = await import('openid-client');
    const { issuer, client_id: clientId, refresh_token: spent = '' } = login;
    const config = await openIssuer({ issuer, clientId });
    const answer = await refreshTokenGrant(config, spent, resourceParameter(login)).catch(
      (thrown: unknown) => {
        throw oauthCodeOf(thrown) === 'invalid_grant' ? thrown : issuerError(thrown, issuer);
      },
    );
    const tokens = tokensOf(answer, login.token ?? 'access_token', now());
    if (tokens === undefined) throw issuerError(new Error('it gave no token'), issuer);
    // Issuers that do not rotate refresh tokens leave them out.
    return { ...login, ...tokens };
  };
}
