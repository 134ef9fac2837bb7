// Installs and uses Fairlead on a real cluster as administrators do: helm, kubectl, tokens by `kubectl exec`, HTTP through
// a port-forward.
import manifest from '../../../package.json' with { type: 'json' };
import { chartFolder, helmsHere } from '../../../packaging/helm.ts';
import { defaultProjectId } from '../../../src/domain/identity.ts';
import { eventually } from '../runner/eventually.ts';
import { type Caller, type Reply, request } from '../servers/fairlead.ts';
import { PortForward } from './port-forward.ts';
import { run, type Said } from './program.ts';

export const systemNamespace = 'fairlead-system';

export interface Tenant extends Caller {
  readonly organization: string;
  readonly namespace: string;
  readonly project: string;
  send(method: 'PUT' | 'PATCH', path: string, body: unknown): Promise<Reply>;
}

export class Installation {
  readonly env: NodeJS.ProcessEnv;
  readonly #image: readonly string[];
  readonly #forward: PortForward;

  private constructor(env: NodeJS.ProcessEnv, image: string, forward: PortForward) {
    this.env = env;
    this.#image = imageValues(image);
    this.#forward = forward;
  }

  static async at(kubeconfig: string, image: string): Promise<Installation> {
    const env = { ...process.env, KUBECONFIG: kubeconfig };
    const options = { namespace: systemNamespace, port: 8000, env };
    return new Installation(env, image, await PortForward.to('deploy/fairlead-api', options));
  }

  helm(...words: readonly string[]): Promise<string> {
    return run(helmsHere()[0] ?? 'helm', words, { env: this.env }).then(({ output }) => output);
  }

  /** Runs `install` or `upgrade` of the release, until everything is ready. */
  release(verb: 'install' | 'upgrade', ...flags: readonly string[]): Promise<string> {
    return this.releaseOf(chartFolder, verb, ...flags);
  }

  /** @param chart a folder or a package */
  releaseOf(
    chart: string,
    verb: 'install' | 'upgrade',
    ...flags: readonly string[]
  ): Promise<string> {
    const where = ['--namespace', systemNamespace, '--wait', '--timeout', '5m'];
    const create = verb === 'install' ? ['--create-namespace'] : ['--reset-then-reuse-values'];
    return this.helm(verb, 'fairlead', chart, ...where, ...create, ...this.#image, ...flags);
  }

  kubectl(...words: readonly string[]): Promise<string> {
    return this.kubectlSaid(words).then(({ output }) => output);
  }

  /** Includes warnings. */
  kubectlSaid(words: readonly string[], input = ''): Promise<Said> {
    return run('kubectl', words, { env: this.env, input });
  }

  async apply(object: unknown, ...words: readonly string[]): Promise<string> {
    const text = JSON.stringify(object);
    return (await this.kubectlSaid(['apply', '-f', '-', ...words], text)).output;
  }

  /** @returns what a path of the object holds, as text */
  read(path: string, ...words: readonly string[]): Promise<string> {
    return this.kubectl('get', ...words, '-o', `jsonpath=${path}`);
  }

  /** @returns names of Fairlead's own pods that are not on their way out */
  async pods(component: 'api' | 'controller'): Promise<string[]> {
    const selector = `app.kubernetes.io/component=${component}`;
    const text = await this.kubectl(
      ...['get', 'pods', '--namespace', systemNamespace, '--selector', selector],
      ...[
        '-o',
        'go-template={{range .items}}{{if not .metadata.deletionTimestamp}}{{.metadata.name}} {{end}}{{end}}',
      ],
    );
    return text.split(' ').filter((name) => name !== '');
  }

  leader(): Promise<string> {
    const lease = ['lease', 'fairlead-controller', '--namespace', systemNamespace];
    return this.read('{.spec.holderIdentity}', ...lease);
  }

  /** Waits until the API answers through the port-forward. */
  reachable(): Promise<void> {
    return this.#forward.open();
  }

  get url(): string {
    return this.#forward.url;
  }

  async token(organization: string): Promise<string> {
    const command = ['node', '/app/src/main.ts', 'token', '--org', organization];
    const pod = ['exec', '--namespace', systemNamespace, 'deploy/fairlead-api', '--'];
    return (await this.kubectl(...pod, ...command)).trim();
  }

  async tenant(organization: string): Promise<Tenant> {
    const token = await this.token(organization);
    const get = (path: string) => this.#ask('GET', path, token);
    const me = await eventually(async () => {
      const { status, body } = await get('/auth/me');
      if (status !== 200) throw new Error(`/auth/me answers ${status}`);
      return body as { readonly namespace: string };
    });
    return {
      organization,
      token,
      namespace: me.namespace,
      project: defaultProjectId(me),
      get,
      post: (path, body) => this.#ask('POST', path, token, body),
      delete: (path) => this.#ask('DELETE', path, token),
      send: (method, path, body) => this.#ask(method, path, token, body),
    };
  }

  /** A request may be repeated: a broken connection does not reveal its outcome. */
  async #ask(method: string, path: string, token: string, body?: unknown): Promise<Reply> {
    const ask = () => request(`${this.#forward.url}${path}`, { method, token, body });
    try {
      return await ask();
    } catch {
      await this.reachable();
      return await ask();
    }
  }

  close(): Promise<void> {
    return this.#forward.close();
  }
}

/** The chart needs no values except for an image with another name. */
function imageValues(image: string): readonly string[] {
  if (image === `fairlead:${manifest.version}`) return [];
  const at = image.lastIndexOf(':');
  const [repository, tag] = [image.slice(0, at), image.slice(at + 1)];
  return ['--set', `image.repository=${repository},image.tag=${tag}`];
}
