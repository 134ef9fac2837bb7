// Pushes the code of a provider `crates` to a whole Fairlead, as its author does over HTTP.
import { expect } from 'vitest';
import { tarOf } from './archives.ts';
import { eventually } from './eventually.ts';
import type { Caller, Fairlead, Reply } from './fairlead.ts';

const manifest = JSON.stringify({
  name: 'crates',
  version: '1.0.0',
  type: 'module',
  exports: './index.ts',
});

/** @param before lines in front of the provider @param config its schema in zod */
export function code(
  label: string,
  before = '',
  config = 'z.strictObject({ size: z.int().min(1).default(3) })',
): string {
  return `import { provider, resource, z } from 'fairlead/provider';
${before}
const made = ({ config, name }: { config: { size: number }; name: string }) => ({
  label: '${label}', url: \`crate://\${name}/\${config.size}\`,
});
export default provider('crates', [
  resource('crate', {
    description: 'A crate',
    config: ${config},
    outputs: z.object({ label: z.string(), url: z.string() }),
    async create(call) {
      call.log.info('making ' + call.name);
      return made(call);
    },
    update: async (call) => made(call),
    async delete() {},
  }),
]);
`;
}

export interface Pushed {
  readonly version: string;
  readonly job_name: string;
}

export interface Author {
  readonly caller: Caller;
  readonly namespace: string;
  push(source: string): Promise<Pushed>;
  /** Reads the log while the build runs, to its end. */
  log(job: string): Promise<string>;
  /** Pushes code whose build succeeds, and waits for it. */
  built(source: string): Promise<Pushed>;
  deploymentIs(wanted: object): Promise<void>;
  apply(name: string, size: number): Promise<Reply>;
  becomes(name: string, outputs: object, version?: string): Promise<void>;
}

/** @param organization one that no other file uses on this Fairlead */
export async function authorOf(fairlead: Fairlead, organization: string): Promise<Author> {
  const caller = await fairlead.caller(organization);
  const { namespace } = (await caller.get('/auth/me')).body as { namespace: string };
  const headers = { authorization: `Bearer ${caller.token}` };

  const author: Author = {
    caller,
    namespace,
    async push(source) {
      const form = new FormData();
      const archive = tarOf(
        { path: 'package.json', body: manifest },
        { path: 'index.ts', body: source },
      );
      form.set('code', new Blob([new Uint8Array(archive)]), 'code.tar');
      const url = `${fairlead.url}/providers/crates/push`;
      const answer = await fetch(url, { method: 'POST', headers, body: form });
      expect(answer.status).toBe(200);
      return (await answer.json()) as Pushed;
    },
    async log(job) {
      const answer = await fetch(`${fairlead.url}/providers/crates/builds/${job}/logs`, {
        headers,
      });
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      return await answer.text();
    },
    async built(source) {
      const pushed = await author.push(source);
      await author.log(pushed.job_name);
      const { body } = await caller.get(`/providers/crates/builds/${pushed.job_name}`);
      expect(body).toMatchObject({ status: 'success', error_message: null });
      return pushed;
    },
    async deploymentIs(wanted) {
      await eventually(async () => {
        expect((await caller.get('/providers/crates/deployment')).body).toMatchObject(wanted);
      }, 60_000);
    },
    apply(name, size) {
      const body = { provider: 'crates', resource: 'crate', name, config: { size } };
      return caller.post('/resources/apply', { ...body, lifecycle_state: 'pending' });
    },
    async becomes(name, outputs, version) {
      await eventually(async () => {
        const { body } = await caller.get(`/resources/crates:crate:${name}`);
        expect(body).toMatchObject({ lifecycle_state: 'ready', outputs });
        if (version !== undefined) expect(body).toMatchObject({ provider_version: version });
      }, 30_000);
    },
  };
  return author;
}
