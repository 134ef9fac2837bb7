// Uploads provider code over HTTP: forms with an archive, and builds that end as a test wants.
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Build } from '../../src/crds/build.ts';
import { organizationOf } from '../../src/domain/identity.ts';
import { createKubeClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/config.ts';
import { apiVersion, kinds } from '../../src/store/kinds.ts';
import { tarOf } from './archives.ts';
import { sharedControlPlane } from './control-plane.ts';
import { eventually } from './eventually.ts';
import type { Answer, ApiCaller, ServedApi } from './served-api.ts';

const manifest = { path: 'package.json', body: '{"name":"code","type":"module"}' };

/** Defaults to unique bytes: known bytes are not built again. */
export function packageArchive(code = `export default '${randomUUID()}'`): Buffer {
  return gzipSync(tarOf(manifest, { path: 'index.ts', body: code }));
}

export function form(archive: Buffer, part = 'code') {
  const head = `--edge\r\nContent-Disposition: form-data; name="${part}"; filename="code.tgz"\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), archive, Buffer.from('\r\n--edge--\r\n')]);
  return { headers: { 'content-type': 'multipart/form-data; boundary=edge' }, body };
}

export function push(caller: ApiCaller, provider: string, archive = packageArchive()) {
  return caller.send('POST', `/providers/${provider}/push`, form(archive));
}

export interface Pushed {
  readonly version: string;
  readonly job_name: string;
}

export function pushed({ body }: Answer): Pushed {
  return body as Pushed;
}

interface BuildOf {
  readonly organization: string;
  readonly name: string;
}

function refOfBuild(api: ServedApi, { organization, name }: BuildOf) {
  return { namespace: organizationOf(api.issuer.url, organization).namespace, name };
}

/** Deletes it as `kubectl delete build` does. */
export async function removeBuild(api: ServedApi, build: BuildOf): Promise<void> {
  const client = createKubeClient(loadCluster(sharedControlPlane()));
  try {
    await client.delete(kinds.build, refOfBuild(api, build));
  } finally {
    await client.close();
  }
}

/** Writes the status of a Build, as its controller does. */
export async function buildEnds(
  api: ServedApi,
  build: BuildOf,
  status: NonNullable<Build['status']>,
): Promise<void> {
  const client = createKubeClient(loadCluster(sharedControlPlane()));
  try {
    const ref = refOfBuild(api, build);
    // The reconciler also writes: it sets the build to waiting.
    await eventually(async () => {
      const { metadata } = await client.get<Build>(kinds.build, ref);
      const object = { apiVersion, kind: 'Build', metadata, status };
      await client.replaceStatus<Build>(kinds.build, object);
    });
  } finally {
    await client.close();
  }
}
