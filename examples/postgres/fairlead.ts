// What this program asks of a running Fairlead: who we are there, our types, and a Provider that points at us.
// The command-line client has the address and the login; the HTTP API answers the first two, and the Kubernetes API the last, because only
// cluster admins may set an endpoint.
import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { promisify } from 'node:util';
import { KubeConfig, KubernetesObjectApi, PatchStrategy } from '@kubernetes/client-node';

const run = promisify(execFile);
const answerLimitMs = 15_000;

export interface TypeToRegister {
  readonly provider: string;
  readonly resource: string;
  readonly description: string;
  readonly schema: unknown;
}

export interface Membership {
  /** The address of the API. */
  readonly url: string;
  readonly organization: string;
  readonly namespace: string;
  readonly token: string;
}

/** @throws Error with a readable message when there is no login, or when it is rejected */
export async function join(): Promise<Membership> {
  const { url } = JSON.parse(await client('context', 'current', '-o', 'json')) as { url: string };
  const token = await client('token');
  const me = await call(url, '/auth/me', { token });
  const { organization_id: id, namespace } = me as { organization_id: string; namespace: string };
  return { url, organization: id, namespace, token };
}

/** Runs `fairlead`, which npm puts on the path of scripts. */
async function client(...words: readonly string[]): Promise<string> {
  const { stdout } = await run('fairlead', words).catch((thrown: { stderr?: string }) => {
    throw new Error(
      thrown.stderr?.trim() || `The client fairlead cannot be run: ${String(thrown)}`,
    );
  });
  return stdout.trim();
}

/** @throws Error with a readable message when Fairlead runs a version of the provider itself */
export async function requireNotPushed(url: string, token: string, name: string): Promise<void> {
  const providers = (await call(url, '/providers/', { token })) as readonly {
    readonly provider: string;
    readonly version: string | null;
  }[];
  if (providers.every(({ provider, version }) => provider !== name || version === null)) return;
  throw new Error(
    `Fairlead runs a pushed ${name} already. Start this with --push, or first DELETE /providers/${name}?cascade=true, which deletes its resources too.`,
  );
}

export async function register(url: string, token: string, type: TypeToRegister): Promise<void> {
  await call(url, '/resources/register', { token, body: type });
}

interface Call {
  readonly token: string;
  readonly body?: unknown;
  /** POST with a body, otherwise GET. */
  readonly method?: string;
}

/** @throws Error with a readable message for an error response */
export async function call(
  url: string,
  path: string,
  { token, body, method }: Call,
): Promise<unknown> {
  const answer = await fetch(`${url}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(answerLimitMs),
  }).catch((thrown: Error) => {
    const { message } = (thrown.cause as Error | undefined) ?? thrown;
    throw new Error(
      `Fairlead does not answer on ${url}: ${message}. Start it in another terminal: npm start`,
    );
  });
  if (!answer.ok) throw await refusal(answer);
  return await answer.json();
}

export async function refusal(answer: Response): Promise<Error> {
  return new Error(`${answer.url} answered ${answer.status}: ${await answer.text()}`);
}

export interface Pointer {
  /** Resources wait for the provider from now on, instead of failing at a closed door. */
  remove(): Promise<void>;
}

/**
 * Creates or updates the Provider that sends events to `endpoint`.
 * @param kubeconfig of a cluster admin  @throws Error with a readable message
 */
export async function pointAt(
  kubeconfig: string,
  { namespace, provider, endpoint }: { namespace: string; provider: string; endpoint: string },
): Promise<Pointer> {
  await access(kubeconfig).catch(() => {
    throw new Error(`There is no ${kubeconfig}; Fairlead writes it when it starts.`);
  });
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const api = KubernetesObjectApi.makeApiClient(config);
  const object = {
    apiVersion: 'fairlead.dev/v1alpha1',
    kind: 'Provider',
    metadata: { name: provider, namespace },
    spec: { provider, endpoint },
  };
  const force = true;
  const { ServerSideApply } = PatchStrategy;
  await api.patch(object, undefined, undefined, 'example-postgres', force, ServerSideApply);
  return {
    async remove() {
      await api.delete(object);
    },
  };
}
