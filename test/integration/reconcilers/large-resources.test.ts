// Resources that etcd cannot store when their event has succeeded end in `failed`, on a real API server, and their deletion ends.
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { Build } from '../../../src/crds/build.ts';
import type { Resource } from '../../../src/crds/resource.ts';
import { definitionNameOf } from '../../../src/domain/identity.ts';
import type { KubeObject } from '../../../src/kube/api.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { act } from '../../../src/reconcilers/build/act.ts';
import { annotation, apiVersion, kinds } from '../../../src/store/kinds.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import {
  type DeadLetterFixture,
  deadLetterFixture,
} from '../../support/fixtures/dead-letters/dead-letter-fixture.ts';
import { eventually } from '../../support/runner/eventually.ts';

const real = clientWithCrds();
/** Six bytes each in etcd. */
const angles = (count: number) => ({ text: '<'.repeat(count) });

async function fails(fixture: DeadLetterFixture, name: string): Promise<Resource> {
  const resource = await eventually(async () => {
    const found = await fixture.resource(name);
    expect(found.status).toMatchObject({ state: 'failed', reason: 'TooLarge' });
    return found;
  });
  const [letter] = await fixture.deadLetters();
  expect(letter).toMatchObject({ resourceName: name, errorCode: 'TOO_LARGE_TO_STORE' });
  return resource;
}

/** As DELETE with `force=true`. */
async function isGoneByForce(fixture: DeadLetterFixture, { metadata }: Resource): Promise<void> {
  const { namespace, name } = metadata;
  const annotations = { [annotation.forceDeletion]: 'true' };
  await real.patch(kinds.resource, { namespace, name }, { metadata: { annotations } });
  await real.delete(kinds.resource, { namespace, name });
  await eventually(async () => expect(await fixture.states()).toEqual({}));
}

it('fails before its event is sent when no success could be stored', async () => {
  const fixture = await deadLetterFixture(real);
  await fixture.apply(['box-large']);
  await fixture.change('box-large', angles(140_000));
  fixture.run();
  const failed = await fails(fixture, 'box-large');
  expect(fixture.received).toEqual([]);
  await isGoneByForce(fixture, failed);
});

it('fails when its outputs cannot be stored beside its config, and is sent once more when it is retried', async () => {
  const fixture = await deadLetterFixture(real, { outputs: () => angles(250_000) });
  await fixture.apply(['box-large']);
  await fixture.change('box-large', angles(20_000));
  fixture.run();
  const failed = await fails(fixture, 'box-large');
  const { id } = failed.status?.event ?? {};
  await real.patch(kinds.resource, failed.metadata, {
    metadata: { annotations: { [annotation.requeue]: `${id}/1` } },
  });
  await eventually(() => expect(fixture.received).toHaveLength(2));
  const retried = await eventually(async () => {
    const found = await fixture.resource('box-large');
    expect(found.status).toMatchObject({ state: 'failed', event: { id, requeued: 1 } });
    return found;
  });
  await isGoneByForce(fixture, retried);
});

it('fails an import whose object cannot be stored beside its config', async () => {
  const fixture = await deadLetterFixture(real, {
    answer: ({ type }) =>
      type === 'OBSERVE'
        ? { kind: 'observed', exists: true, config: {}, outputs: angles(250_000) }
        : undefined,
  });
  const { namespace } = fixture;
  const type = { namespace, name: definitionNameOf('box', 'crate') };
  await real.patch(kinds.definition, type, { spec: { observe: true } });
  const config = angles(20_000) as Resource['spec']['config'];
  await fixture.apply(['box-large'], { config, adopt: { id: 'i-1' } as Resource['spec']['adopt'] });
  fixture.run();
  await fails(fixture, 'box-large');
  await fixture.remove('box-large');
  await eventually(async () => expect(await fixture.states()).toEqual({}));
  expect(fixture.received).toHaveLength(1);
});

it('is deleted when its success cannot be stored', async () => {
  const answering = Promise.withResolvers<void>();
  const fixture = await deadLetterFixture(real, {
    outputs: ({ type }) => (type === 'DELETE' ? {} : angles(250_000)),
    before: () => answering.promise,
  });
  await fixture.apply(['box-large']);
  await fixture.change('box-large', angles(20_000));
  fixture.run();
  await eventually(() => expect(fixture.received).toHaveLength(1));
  await fixture.remove('box-large');
  answering.resolve();
  await eventually(async () => expect(await fixture.states()).toEqual({}));
  expect(fixture.received).toHaveLength(2);
  expect(await fixture.deadLetters()).toEqual([]);
});

it('fails a build whose types are too large in etcd', async () => {
  const { namespace } = await deadLetterFixture(real);
  const digest = `sha256:${'a'.repeat(64)}`;
  const ref = { digest, size: 1 };
  const build = await real.create(kinds.build, {
    apiVersion,
    kind: kinds.build.kind,
    metadata: { name: 'box-large', namespace },
    spec: { provider: 'box', version: '20260101.000000', source: ref },
  } as KubeObject);
  // 400 KB of JSON, which is below the limit of the document.
  const types = Array.from({ length: 100 }, (_, index) => ({
    resource: `crate-${index}`,
    description: '<'.repeat(4_000),
  }));
  const terminated = { message: JSON.stringify({ artifact: ref, types: ref }) };
  const pod = {
    metadata: { name: 'pod', namespace },
    status: { containerStatuses: [{ name: 'publish', state: { terminated } }] },
  };
  const deps = {
    client: real,
    builds: { remember: () => undefined },
    definitions: { get: () => undefined },
    providers: { get: () => undefined },
    resources: { items: () => [] },
    artifacts: {
      isLinked: () => Promise.resolve(true),
      open: () =>
        Promise.resolve({ bytes: Readable.from([Buffer.from(JSON.stringify({ types }))]) }),
    },
    schemas: { checkSchema: () => Promise.resolve([]) },
    captureLog: () => Promise.resolve(undefined),
    recorder: { record: () => undefined },
    clock: systemClock,
    log: silentLog,
  } as unknown as Parameters<typeof act>[2];
  await act({ do: 'collect' }, { build, pod } as unknown as Parameters<typeof act>[1], deps);
  const { status } = await real.get<Build>(kinds.build, { namespace, name: 'box-large' });
  expect(status).toMatchObject({
    phase: 'failed',
    error: expect.stringContaining('too large to be stored'),
  });
});
