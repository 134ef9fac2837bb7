// Answers the sign-in page: shows the form, and ends the interaction with the identity that was chosen.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { readBounded } from '../lib/read-bounded.ts';
import { identityFrom, subjectOf } from './identity.ts';
import { messagePage, type Page } from './pages/frame.ts';
import { signInPage } from './pages/sign-in.ts';

const formLimitBytes = 8_192;

class FormTooLarge extends Error {}

interface Interaction {
  readonly provider: Provider;
  readonly path: string;
  send(res: ServerResponse, page: Page): void;
}

/** Handles one request to the sign-in page. @throws SessionNotFound when this browser has no such interaction */
export async function interact(
  req: IncomingMessage,
  res: ServerResponse,
  { provider, path, send }: Interaction,
): Promise<void> {
  // Rejects an interaction of another browser: its cookie must be present.
  const interaction = await provider.interactionDetails(req, res);
  const client = await clientOf(provider, interaction.params['client_id']);
  if (req.method !== 'POST') return send(res, signInPage({ action: path, client }));
  const form = await readForm(req);
  if (form === undefined) return send(res, tooLarge(path));
  const field = (name: string) => form.get(name) ?? '';
  if (form.has('cancel')) {
    const denied = { error: 'access_denied', error_description: 'the sign-in was cancelled' };
    return provider.interactionFinished(req, res, denied, { mergeWithLastSubmission: false });
  }
  const choice = {
    organization: field('organization'),
    role: field('role'),
    project: field('project'),
  };
  const identity = identityFrom(choice);
  if ('field' in identity) {
    return send(res, signInPage({ action: path, client, choice, invalid: identity }));
  }
  const accountId = subjectOf(identity);
  await leaveSession(provider, interaction, accountId);
  const login = { accountId };
  await provider.interactionFinished(req, res, { login }, { mergeWithLastSubmission: false });
}

type InteractionRecord = Awaited<ReturnType<Provider['interactionDetails']>>;

/**
 * Ends the session of another identity. The library would do it with a page that submits itself by script, and would
 * revoke the grants of that identity: the logins of other contexts of the command line.
 */
async function leaveSession(
  provider: Provider,
  interaction: InteractionRecord,
  accountId: string,
): Promise<void> {
  const { session } = interaction;
  if (session === undefined || session.accountId === accountId) return;
  const stored = await provider.Session.findByUid(session.uid);
  await stored?.destroy();
  interaction.session = undefined;
  await interaction.persist();
}

async function clientOf(provider: Provider, id: unknown): Promise<string> {
  const client = await provider.Client.find(String(id));
  return client?.clientName ?? String(id);
}

/** @returns undefined when the form is too large */
async function readForm(req: IncomingMessage): Promise<URLSearchParams | undefined> {
  try {
    const bytes = await readBounded(req, formLimitBytes, () => new FormTooLarge());
    return new URLSearchParams(bytes.toString());
  } catch (thrown) {
    if (thrown instanceof FormTooLarge) return undefined;
    throw thrown;
  }
}

function tooLarge(path: string): Page {
  const text = `The form has more than ${formLimitBytes} bytes. Open ${path} again and shorten the values.`;
  return messagePage(413, 'Sign-in failed', text);
}
