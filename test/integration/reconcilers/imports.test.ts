// Imports, read-only resources, and the leak check, on a real API server.
import { expect, it } from 'vitest';
import type { Project } from '../../../src/crds/project.ts';
import type { Resource } from '../../../src/crds/resource.ts';
import { definitionNameOf, projectNameOf } from '../../../src/domain/identity.ts';
import { eventKind } from '../../../src/kube/api.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { apiVersion, kinds } from '../../../src/store/kinds.ts';
import { byPrecedence } from '../../../src/store/resources/managed-objects/precedence.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import {
  aWorld,
  isScheduled,
  observed,
  shows,
  writesOf,
} from '../../support/fixtures/observation/observed-world.ts';
import { eventually } from '../../support/runner/eventually.ts';

const real = clientWithCrds();

it('an import records what is there and changes nothing: equal, different, missing', async () => {
  const world = await aWorld(real);
  const { fixture, cloud } = world;
  cloud.objects.set('i-1', { size: 2, password: 'first-secret' });
  cloud.objects.set('i-2', { size: 4 });
  const before = JSON.stringify([...cloud.objects]);
  const config = { size: 2, password: 'first-secret' };
  for (const [name, id] of [
    ['equal', 'i-1'],
    ['other', 'i-2'],
    ['missing', 'i-3'],
  ] as const) {
    await fixture.apply([name], {
      config,
      adopt: { id } as JsonObject as Resource['spec']['adopt'],
    });
  }
  fixture.run();
  await shows(world, 'equal', {
    state: 'ready',
    reason: 'Imported',
    drift: null,
    outputs: { id: 'i-1' },
  });
  await shows(world, 'other', { state: 'ready', reason: 'Drifted', drift: { total: 1 } });
  await shows(world, 'missing', {
    state: 'failed',
    error: expect.stringContaining('NOT_FOUND: Provider box found no crate for adopt'),
  });
  expect(await fixture.deadLetters()).toMatchObject([
    { eventType: 'OBSERVE', resourceName: 'missing', errorCode: 'NOT_FOUND' },
  ]);
  expect(JSON.stringify([...cloud.objects])).toBe(before);
  expect(JSON.stringify(await fixture.resource('other'))).not.toContain('"actual":"\\"first');
  expect(cloud.received.filter((each) => !each.startsWith('OBSERVE'))).toEqual([]);

  // What Fairlead did not create it does not delete by accident.
  await fixture.remove('equal');
  await fixture.remove('missing');
  await eventually(async () => {
    expect(
      Object.values(await fixture.states())
        .flat()
        .sort(),
    ).toEqual(['other']);
  });
  expect(cloud.count('DELETE')).toBe(0);

  await fixture.patch('other', { spec: { config: { size: 8, password: null } } });
  await eventually(() => expect(cloud.objects.get('i-2')).toEqual({ size: 8 }));
  await shows(world, 'other', { state: 'ready', drift: null });
});

it('a read-only resource follows its object, and is taken over by an UPDATE', async () => {
  const world = await aWorld(real);
  const { fixture, cloud } = world;
  await fixture.apply(['net'], { config: { size: 2 }, management: 'Observed' });
  const running = fixture.run();
  await shows(world, 'net', { state: 'pending', reason: 'NotFound' });
  cloud.objects.set('net', { size: 5, zone: 'eu' });
  await observed(world, 'net');
  const outputs = { id: 'net', size: 5, zone: 'eu' };
  await shows(world, 'net', { state: 'ready', reason: 'Found', outputs, drift: null });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference
  const zone = '${box/crate/net.outputs.zone}';
  await fixture.apply(['user'], { config: { zone } });
  await eventually(() => expect(cloud.objects.get('user')).toEqual({ zone: 'eu' }));
  await shows(world, 'user', { state: 'ready' });

  await isScheduled(world, 'net');
  const same = writesOf(running);
  expect(await observed(world, 'net')).toMatchObject({ exists: true });
  await eventually(() => expect(same(), 'the answer').toEqual(['status Resource']));
  cloud.objects.set('net', { size: 5, zone: 'us' });
  await observed(world, 'net');
  await eventually(() => expect(cloud.objects.get('user'), 'users of it').toEqual({ zone: 'us' }));
  expect(
    cloud.received.filter((each) => each.endsWith(' net') && !each.startsWith('OBSERVE')),
  ).toEqual([]);

  const { answer } = cloud;
  let isRefused = false;
  cloud.answer = (event) => {
    if (event.type !== 'UPDATE' || event.name !== 'net') return answer(event);
    cloud.received.push('UPDATE net');
    return isRefused
      ? { kind: 'failed', terminal: true, code: 'DIFFERS', message: 'It cannot shrink' }
      : { kind: 'later', retryAfterMs: 100, context: { task: 't-1' } };
  };
  await fixture.patch('net', { spec: { management: 'Managed' } });
  await shows(world, 'net', { state: 'processing', reason: 'InProgress' });
  const another = { spec: { config: { size: 9 } } };
  await expect(fixture.patch('net', another)).rejects.toThrow('is being processed');
  isRefused = true;
  await shows(world, 'net', { state: 'failed', reason: 'ProviderFailed' });
  const sent = cloud.count('UPDATE');
  await fixture.patch('net', { spec: { tags: ['seen'] } });
  await eventually(async () => {
    const { metadata, status } = await fixture.resource('net');
    expect(status?.observedGeneration).toBe(metadata.generation);
  });
  expect(cloud.count('UPDATE'), 'it is not claimed again').toBe(sent);

  cloud.answer = answer;
  await fixture.patch('net', { spec: { retry: 1 } });
  await eventually(() => expect(cloud.objects.get('net')).toEqual({ size: 2 }));
  await shows(world, 'net', { state: 'ready', reason: 'Processed' });
  expect(cloud.received).toContain('UPDATE net');

  // The other way is allowed, too; then only the record goes.
  await fixture.patch('user', { spec: { config: { zone: 'none' } } });
  await shows(world, 'user', { state: 'ready' });
  await fixture.patch('net', { spec: { management: 'Observed' } });
  await shows(world, 'net', { state: 'ready', reason: 'Found' });
  await fixture.remove('net');
  await eventually(async () => {
    expect(Object.values(await fixture.states()).flat()).toEqual(['user']);
  });
  expect(cloud.objects.has('net')).toBe(true);
});

it('nobody has to guess what a failed CREATE left behind', async () => {
  const world = await aWorld(real);
  const { fixture, cloud } = world;
  const { answer } = cloud;
  await fixture.apply(['left', 'none'], { config: { size: 2 } });
  cloud.answer = (event) => {
    if (event.type !== 'CREATE') return answer(event);
    if (event.name === 'left') answer(event);
    return { kind: 'failed', terminal: true, code: 'HALF', message: 'it stopped in between' };
  };
  fixture.run();
  await shows(world, 'left', { state: 'failed' });
  await shows(world, 'none', { state: 'failed' });
  const letters = await fixture.deadLetters();
  const existing = letters.map(({ resourceName, exists }) => [resourceName, exists]);
  expect(existing.sort()).toEqual([
    ['left', true],
    ['none', false],
  ]);
});

it('a deletion deletes what a CREATE may have left, also after an import that found nothing', async () => {
  const world = await aWorld(real);
  const { fixture, cloud } = world;
  const { answer } = cloud;
  const failure = { kind: 'failed', terminal: true, code: 'HALF', message: 'it stopped' } as const;
  cloud.answer = (event) => {
    const received = answer(event);
    return event.type === 'CREATE' ? failure : received;
  };
  const adopt = (id: string) => ({ spec: { adopt: { id } } });
  await fixture.apply(['half', 'kept'], { config: { size: 2 } });
  fixture.run();
  for (const name of ['half', 'kept']) {
    await shows(world, name, { state: 'failed', error: 'HALF: it stopped' });
    await fixture.patch(name, adopt(`i-${name}`));
    await shows(world, name, { error: expect.stringContaining('NOT_FOUND') });
  }
  // Another import, and its retry, know it as well.
  await fixture.patch('half', adopt('i-2'));
  await shows(world, 'half', { error: expect.stringContaining('NOT_FOUND') });
  await eventually(() =>
    expect(cloud.received.filter((each) => each === 'OBSERVE half')).toHaveLength(3),
  );
  await fixture.remove('half');
  await eventually(() => expect(cloud.received).toContain('DELETE half'));
  expect(cloud.objects.has('half')).toBe(false);

  // An explicit policy holds: a receipt says what may be left.
  await fixture.patch('kept', { spec: { deletionPolicy: 'Orphan' } });
  await fixture.remove('kept');
  await eventually(async () => expect(await fixture.states()).toEqual({}));
  expect(cloud.received).not.toContain('DELETE kept');
  expect(cloud.objects.has('kept')).toBe(true);
});

it('an import is one of a type whose handlers a deletion ends, too', async () => {
  const world = await aWorld(real);
  const { fixture, cloud } = world;
  const name = definitionNameOf('box', 'crate');
  const at = { namespace: fixture.namespace, name };
  await real.patch(kinds.definition, at, { spec: { cancellable: true } });
  cloud.objects.set('i-1', { size: 2 });
  await fixture.apply(['net'], {
    config: { size: 2 },
    adopt: { id: 'i-1' } as JsonObject as never,
  });
  fixture.run();
  await shows(world, 'net', { state: 'ready', reason: 'Imported', outputs: { id: 'i-1' } });
});

it('a secret of adopt is in no error, dead letter, Event or drift', async () => {
  const world = await aWorld(real);
  const { fixture, cloud } = world;
  const { namespace } = fixture;
  const canary = 'canary-91c4';
  const adoptSchema = { properties: { id: {}, token: { type: 'string', writeOnly: true } } };
  const name = definitionNameOf('box', 'crate');
  await real.patch(kinds.definition, { namespace, name }, { spec: { adoptSchema } });
  const { answer } = cloud;
  cloud.answer = (event) => {
    const message = `no object for ${canary}`;
    return event.name === 'refused'
      ? { kind: 'failed', terminal: true, code: 'invalid_adopt', message, log: [message] }
      : answer(event);
  };
  cloud.objects.set('i-1', { size: `in-${canary}`, zone: 'eu' });
  for (const [name, id] of [
    ['refused', 'i-0'],
    ['found', 'i-1'],
  ] as const) {
    const adopt = { id, token: canary } as JsonObject as Resource['spec']['adopt'];
    await fixture.apply([name], { config: { size: 'small' }, adopt });
  }
  fixture.run();
  await shows(world, 'refused', {
    state: 'failed',
    error: 'invalid_adopt: no object for [masked]',
  });
  await shows(world, 'found', { reason: 'Drifted', drift: { changes: [{ omitted: true }] } });
  await eventually(async () => {
    const { items } = await real.list(eventKind, { namespace });
    expect(JSON.stringify(items)).toContain('no object for [masked]');
    expect(JSON.stringify(items)).not.toContain(canary);
  });
  const letters = await fixture.deadLetters();
  expect(letters).toMatchObject([{ log: ['no object for [masked]'] }]);
  const { status } = await fixture.resource('found');
  const { outputs: _outputs, ...shown } = status ?? {};
  expect(JSON.stringify([letters, shown])).not.toContain(canary);
});

it('[K28] one object has one resource: the others fail before their event, whatever kubectl stored', async () => {
  const world = await aWorld(real);
  const { fixture, cloud } = world;
  const { namespace } = fixture;
  cloud.objects.set('i-1', { size: 2 });
  const adopt = { id: 'i-1' } as JsonObject as Resource['spec']['adopt'];
  const spec = { config: { size: 2 }, adopt };
  await real.create(kinds.project, {
    ...{ apiVersion, kind: kinds.project.kind },
    metadata: { name: projectNameOf('other'), namespace },
    spec: { projectId: 'other', displayName: 'other' },
  } as Project);
  await fixture.apply(['a', 'b'], spec);
  const [first, second] = [await fixture.resource('a'), await fixture.resource('b')]
    .sort(byPrecedence)
    .map((each) => each.spec.name) as [string, string];
  fixture.run();
  await shows(world, first, { state: 'ready', reason: 'Imported' });
  await shows(world, second, {
    ...{ state: 'failed', reason: 'ObjectTaken' },
    error: expect.stringContaining(`OBJECT_TAKEN: Resource box/crate/${first} stands for`),
  });
  await fixture.apply(['elsewhere'], { ...spec, project: 'other', deletionPolicy: 'Delete' });
  await fixture.apply(['reader'], { ...spec, project: 'other', management: 'Observed' });
  const unseen = expect.not.stringContaining(`crate/${first}`);
  await shows(world, 'elsewhere', { state: 'failed', reason: 'ProviderFailed', error: unseen });
  await shows(world, 'reader', { state: 'pending', reason: 'NotFound', message: unseen });
  const letters = await fixture.deadLetters();
  expect(letters.map(({ resourceName, errorCode }) => [resourceName, errorCode]).sort()).toEqual(
    [
      [second, 'OBJECT_TAKEN'],
      ['elsewhere', 'NOT_FOUND'],
    ].sort(),
  );

  // What never succeeded deletes nothing, whatever its policy.
  const areGone = (...names: readonly string[]) =>
    eventually(async () => {
      const left = Object.values(await fixture.states()).flat();
      expect(left.filter((name) => names.includes(name))).toEqual([]);
    });
  await fixture.remove('elsewhere');
  await fixture.remove('reader');
  await areGone('elsewhere', 'reader');
  expect(cloud.received).toEqual([`OBSERVE ${first}`]);
  expect(cloud.objects.has('i-1')).toBe(true);

  // The object is free when its resource is gone.
  await fixture.remove(first);
  await areGone(first);
  await fixture.patch(second, { spec: { retry: 1 } });
  await shows(world, second, { state: 'ready', reason: 'Imported' });
  await fixture.apply(['reader'], { ...spec, management: 'Observed' });
  await shows(world, 'reader', {
    ...{ state: 'pending', reason: 'ObjectTaken' },
    message: expect.stringContaining(`crate/${second}`),
  });
  await fixture.remove(second);
  await shows(world, 'reader', { state: 'ready', reason: 'Found' });
});
