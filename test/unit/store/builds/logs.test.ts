// Build logs while the API server does not answer. What pods print is tested on a real API server.
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { organizationOf } from '../../../../src/domain/identity.ts';
import { KubeError, type KubeReason } from '../../../../src/kube/errors.ts';
import { silentLog } from '../../../../src/lib/log.ts';
import { createBuildLogs } from '../../../../src/store/builds/logs.ts';
import type { BuildRecord } from '../../../../src/store/builds/store.ts';

const organization = organizationOf('https://issuer.test', 'acme');
const log = `sha256:${'a'.repeat(64)}`;
const running = { provider: 'box', jobName: 'box-1', phase: 'running' } as unknown as BuildRecord;
const finished = { ...running, phase: 'success', log } as BuildRecord;

/** Answers the first request with an error, and the others with a build that has ended. */
function logsAfter(reason: KubeReason) {
  let asked = 0;
  const builds = {
    get: () => {
      asked += 1;
      const error = new KubeError({ reason, message: 'no' });
      return asked === 1 ? Promise.reject(error) : Promise.resolve(finished);
    },
  };
  const client = { list: () => Promise.resolve({ items: [] }) };
  const bytes = Readable.from([Buffer.from('compiled\n')]);
  const artifacts = { open: () => Promise.resolve({ size: 9, bytes }) };
  const deps = { client, builds, artifacts, log: silentLog, pollMs: 1 };
  return createBuildLogs(deps as unknown as Parameters<typeof createBuildLogs>[0]);
}

async function read(reason: KubeReason): Promise<string> {
  const pieces: Uint8Array[] = [];
  const signal = AbortSignal.timeout(5_000);
  for await (const piece of logsAfter(reason).open(organization, running, signal)) {
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

it.each(['unavailable', 'timeout', 'tooManyRequests', 'unauthorized', 'forbidden'] as const)(
  'goes on when a request for the build ends with %s',
  async (reason) => {
    await expect(read(reason)).resolves.toBe('compiled\n');
  },
);

it('ends with an error that time does not repair', async () => {
  await expect(read('invalid')).rejects.toThrow(KubeError);
});
