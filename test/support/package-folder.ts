// Creates a folder with the code of a provider, in a separate workspace as in a pod.
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface PackageFolder extends AsyncDisposable {
  readonly workspace: string;
  /** The folder of the code. */
  readonly code: string;
  write(files: Files): Promise<void>;
}

/** Contents by path; objects are written as JSON. */
export type Files = Readonly<Record<string, string | object>>;

export async function packageFolder(files: Files = {}): Promise<PackageFolder> {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), 'package-')));
  const code = join(workspace, 'code');
  await mkdir(code);
  const folder: PackageFolder = {
    workspace,
    code,
    async write(more) {
      for (const [path, content] of Object.entries(more)) {
        await mkdir(dirname(join(code, path)), { recursive: true });
        const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
        await writeFile(join(code, path), text);
      }
    },
    [Symbol.asyncDispose]: () => rm(workspace, { recursive: true, force: true }),
  };
  await folder.write(files);
  return folder;
}

/** A minimal provider. */
export const shopCode = `
import { provider, resource, z } from 'fairlead/provider';

export default provider('shop', [
  resource('cart', {
    description: 'A cart',
    config: z.object({ size: z.int().min(1), color: z.string().default('red') }),
    outputs: z.object({ url: z.string() }),
    create: ({ name }) => ({ url: 'cart://' + name }),
    update: ({ name }) => ({ url: 'cart://' + name }),
    delete: () => undefined,
  }),
]);
`;

export const shopManifest = { name: 'shop', version: '1.0.0', type: 'module' };
