// The session: whose token is sent, until when it is valid, and what its role may do. Tokens are only in memory.
import { computed, signal } from '@preact/signals';
import type { Me } from '../../api/shapes.ts';
import type { ConsoleSettings } from './settings.ts';

type SessionState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'signed-out'; readonly problem?: string }
  | { readonly kind: 'signed-in' }
  /** The pages stay, with what was typed into them, behind the question to sign in again. */
  | { readonly kind: 'ended'; readonly reason: string };

export const session = signal<SessionState>({ kind: 'starting' });
export const settings = signal<ConsoleSettings | undefined>(undefined);
export const me = signal<Me | undefined>(undefined);

/** Whether `fairlead console` serves the pages, so that the login of the command line counts. */
export const isCommandLine = computed(() => settings.value?.commandLine === true);

let token: string | undefined;
let idToken: string | undefined;
let expiry: ReturnType<typeof setTimeout> | undefined;

/** The longest delay of a timer of a browser: 2^31 - 1 ms. */
const maxTimerMs = 2_147_483_647;

export interface Tokens {
  readonly bearer: string;
  /** Ends the session at the issuer without a question. */
  readonly idToken: string | undefined;
  readonly expiresInSeconds: number | undefined;
}

/** @param reason why the session ends when the token expires */
export function beginSession(tokens: Tokens, reason: string): void {
  token = tokens.bearer;
  idToken = tokens.idToken;
  clearTimeout(expiry);
  if (tokens.expiresInSeconds === undefined) return;
  const delay = Math.min(tokens.expiresInSeconds * 1_000, maxTimerMs);
  expiry = setTimeout(() => endSession(reason), delay);
}

export function bearerToken(): string | undefined {
  return token;
}

/** @returns the hint for the sign-out at the issuer */
export function idTokenHint(): string | undefined {
  return idToken;
}

export function endSession(reason: string): void {
  if (session.value.kind === 'ended' || session.value.kind === 'signed-out') return;
  clearTimeout(expiry);
  token = undefined;
  session.value = { kind: 'ended', reason };
}
