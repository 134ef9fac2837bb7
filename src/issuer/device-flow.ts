// Implements the pages and the pace of the device authorization grant (RFC 8628).
import type { Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { identityOf } from './identity.ts';
import {
  codeApprovalPage,
  codeEntryPage,
  deviceDeniedPage,
  deviceSignedInPage,
} from './pages/device.ts';
import { type Polling, pollSeconds } from './polling.ts';
import { renderPage, xsrfOf } from './rendering.ts';

export const deviceCodeSeconds = 600;

/** The settings of the library for the device authorization grant. */
export const deviceFlow = {
  enabled: true,
  charset: 'base-20',
  mask: '****-****',
  userCodeInputSource: (context, _form, out, error) => {
    if (error?.name === 'AbortedError') return renderPage(context, deviceDeniedPage());
    const problem = signInProblem(error?.name, out?.error);
    const code = context.oidc.params?.['user_code'];
    return showCodeEntry(context, { problem, code, status: context.status });
  },
  // biome-ignore lint/complexity/useMaxParams: oidc-provider calls it.
  userCodeConfirmSource: (context, _form, client, _deviceInfo, code) => {
    renderPage(context, codeApprovalPage(codeForm(context), { code, client: clientLabel(client) }));
  },
  successSource: (context) => {
    const { accountId } = context.oidc.session ?? {};
    const identity = accountId === undefined ? undefined : identityOf(accountId);
    renderPage(context, deviceSignedInPage(identity));
  },
} satisfies NonNullable<Configuration['features']>['deviceFlow'];

const over = 'This code has expired or was used already. Start the sign-in again in your terminal.';
const problems: Readonly<Record<string, string>> = {
  NoCodeError: 'The code is missing. Enter the code that your terminal shows.',
  NotFoundError: 'This code does not exist. Compare it with the one that your terminal shows.',
  ExpiredError: over,
  AlreadyUsedError: over,
};

function signInProblem(name = '', error: string | undefined): string | undefined {
  if (name === '') return undefined;
  const expired = 'This page has expired or was opened in another browser. Enter the code again.';
  const failed = 'The sign-in failed. Start it again in your terminal.';
  return problems[name] ?? (error === 'invalid_request' ? expired : failed);
}

function clientLabel({ clientName, clientId }: InstanceType<Provider['Client']>): string {
  return clientName ?? clientId;
}

function codeForm(context: KoaContextWithOIDC): { action: string; xsrf: string } {
  return { action: context.oidc.urlFor('code_verification'), xsrf: xsrfOf(context) };
}

function showCodeEntry(
  context: KoaContextWithOIDC,
  { problem, code, status }: { problem: string | undefined; code: unknown; status: number },
): void {
  const text = typeof code === 'string' ? code.slice(0, 32) : '';
  const entry = { code: text, status: problem === undefined ? 200 : Math.max(status, 400) };
  renderPage(
    context,
    codeEntryPage(codeForm(context), problem === undefined ? entry : { ...entry, problem }),
  );
}

/** Shows the page to approve a code that is part of the address (`verification_uri_complete`). */
export async function showCodeOfAddress(context: KoaContextWithOIDC): Promise<void> {
  const { provider, params } = context.oidc;
  const entered = String(params?.['user_code']);
  const normalized = entered.toUpperCase().replaceAll(/\W/g, '');
  const found = await provider.DeviceCode.findByUserCode(normalized, { ignoreExpiration: true });
  const client = await provider.Client.find(found?.clientId ?? '');
  if (found === undefined || client === undefined || isCodeOver(found)) {
    const problem = problems[found === undefined ? 'NotFoundError' : 'ExpiredError'];
    return showCodeEntry(context, { problem, code: entered, status: 400 });
  }
  const code = `${normalized.slice(0, 4)}-${normalized.slice(4)}`;
  return renderPage(
    context,
    codeApprovalPage(codeForm(context), { code, client: clientLabel(client) }),
  );
}

type DeviceCode = InstanceType<Provider['DeviceCode']>;

function isCodeOver({ isExpired, error, accountId, inFlight }: DeviceCode): boolean {
  return isExpired || error !== undefined || accountId !== undefined || inFlight === true;
}

/** Adds the interval to the answer that starts a device (optional in RFC 8628, but some clients need it). */
export function addInterval({ body }: KoaContextWithOIDC): void {
  if (isRecord(body) && 'device_code' in body) body['interval'] = pollSeconds;
}

/** Replaces `authorization_pending` by `slow_down` for a poll that comes too early. */
export function pacePoll(context: KoaContextWithOIDC, polling: Polling): void {
  const { body, oidc } = context;
  if (!isRecord(body) || body['error'] !== 'authorization_pending') return;
  if (!polling.tooEarly(String(oidc.params?.['device_code']))) return;
  context.body = {
    error: 'slow_down',
    error_description: `the poll came too early; wait ${pollSeconds} seconds longer between polls`,
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
