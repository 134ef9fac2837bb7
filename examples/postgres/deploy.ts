// What anybody does who has code for Fairlead: push it, watch the build, set its settings, deploy the version, wait until it
// runs.
import { setTimeout as pause } from 'node:timers/promises';
import { call, type Membership, refusal } from './fairlead.ts';

const deployLimitMs = 180_000;

interface Pushed {
  readonly job_name: string;
  readonly version: string;
}

interface Build {
  readonly status: string;
  readonly error_message: string | null;
}

interface Deployment {
  readonly status: string;
  readonly version: string;
  readonly message: string;
}

export interface Code {
  readonly provider: string;
  readonly archive: Buffer;
  /** Credentials are here, and not in the code. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface Audience {
  /** Gets the log of the build, piece by piece while it runs. */
  readonly print: (text: string) => void;
  /** Aborted when nobody waits any more. What was begun goes on in Fairlead. */
  readonly signal: AbortSignal;
}

/**
 * @returns the version that runs now
 * @throws Error with a readable message
 */
export async function deploy(
  { url, token }: Pick<Membership, 'url' | 'token'>,
  { provider, archive, settings }: Code,
  { print, signal }: Audience,
): Promise<string> {
  const path = `/providers/${provider}`;
  const headers = { authorization: `Bearer ${token}` };
  const request = { headers, signal };
  const body = formOf(archive);
  const { job_name: job, version } = await push(`${url}${path}/push`, { ...request, body });
  for await (const text of log(`${url}${path}/builds/${job}/logs`, request)) print(text);
  const build = (await call(url, `${path}/builds/${job}`, { token })) as Build;
  if (build.status !== 'success') {
    throw new Error(`The build ended as ${build.status}: ${build.error_message ?? 'no reason'}`);
  }
  await call(url, `${path}/deploy`, { token, body: { version } });
  // The version that is deployed decides which settings there are; it starts as soon as they are set.
  await call(url, `${path}/settings`, { token, method: 'PUT', body: { values: settings } });
  const look = () => call(url, `${path}/deployment`, { token });
  await untilAvailable(version, { look, signal });
  return version;
}

function formOf(archive: Buffer): FormData {
  const form = new FormData();
  form.set('code', new Blob([new Uint8Array(archive)]), 'code.tar.gz');
  return form;
}

async function push(url: string, request: RequestInit): Promise<Pushed> {
  const answer = await fetch(url, { ...request, method: 'POST' });
  if (!answer.ok) throw await refusal(answer);
  return (await answer.json()) as Pushed;
}

/** Ends with the build. */
async function* log(url: string, request: RequestInit): AsyncIterable<string> {
  const answer = await fetch(url, request);
  if (!answer.ok || answer.body === null) throw await refusal(answer);
  yield* answer.body.pipeThrough(new TextDecoderStream());
}

async function untilAvailable(
  version: string,
  { look, signal }: { look: () => Promise<unknown>; signal: AbortSignal },
): Promise<void> {
  const end = performance.now() + deployLimitMs;
  for (; ; await pause(500, undefined, { signal })) {
    const deployment = (await look()) as Deployment;
    const { status, message } = deployment;
    if (deployment.version !== version) {
      throw new Error(`Another deployment replaced this one with version ${deployment.version}.`);
    }
    if (status === 'available') return;
    if (status === 'failed') throw new Error(`The deployment failed: ${message}`);
    if (performance.now() > end) {
      throw new Error(`The deployment is still ${status} after ${deployLimitMs / 1_000} s.`);
    }
  }
}
