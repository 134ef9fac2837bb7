// One observation, from the question to the write.
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../../../src/events/protocol.ts';
import { KubeError } from '../../../../src/kube/errors.ts';
import { aClaim } from '../../../support/fixtures/builders.ts';
import {
  found,
  hour,
  minute,
  notThere,
} from '../../../support/fixtures/observation/observed-subjects.ts';
import {
  observedObjects,
  writesTo,
} from '../../../support/fixtures/observation/observing-controller.ts';
import {
  config,
  named,
  observingWorld,
  schema,
} from '../../../support/fixtures/observation/observing-world.ts';

const correct = { observe: { onDrift: 'Correct' } } as const;

describe('an observation', () => {
  it('asks with the config of the last success, without a claim, as attempt 1', async () => {
    const event = aClaim({ sequence: 7 });
    const adopt = { id: 'db-1' };
    const status = {
      event,
      appliedConfig: { size: 1 },
      outputs: { id: 'x' },
      appliedTypeVersion: 3,
    };
    const world = await observingWorld({ of: [named('db', { spec: { adopt }, status })] });
    await world.pass(hour, minute);
    expect(world.asked.map((each) => each.event)).toMatchObject([
      {
        ...{ type: 'OBSERVE', name: 'db', organizationId: 'acme', attempt: 1, sequence: 7 },
        ...{ config: { size: 1 }, schemaVersion: 3, outputs: { id: 'x' }, adopt, context: null },
        id: expect.stringMatching(/^obs-/),
      },
    ]);
  });

  it('asks for one that is only read by the newest version that its config fits', async () => {
    const reads = { management: 'Observed' } as const;
    const read = { management: 'Observed', reason: 'Found', event: undefined as never } as const;
    const versioned = (name: string, spec: object) =>
      named(name, { spec: { ...reads, ...spec }, status: read });
    const of = [
      versioned('old', { config: { name: 'x' } }),
      versioned('new', { config: { id: 'x' } }),
      versioned('said', { config: { name: 'x' }, typeVersion: 2 }),
    ];
    const earlierVersions = [{ typeVersion: 1, schema: { properties: { name: {} } } }] as never;
    const world = await observingWorld({
      of,
      objects: observedObjects(of, {
        ...{ schema: { properties: { id: {} } } as never, typeVersion: 2, earlierVersions },
      }),
      schemas: {
        validate: async ({ properties }, value) =>
          Object.keys(value ?? {}).every((name) => name in (properties as object))
            ? []
            : [{ loc: [], msg: 'extra', type: 'extra_forbidden' }],
      },
    });
    await world.pass(hour, minute);
    const versions = world.asked.map(({ name, event }) => [name, event.schemaVersion]);
    expect(Object.fromEntries(versions)).toEqual({ old: 1, new: 2, said: 2 });
  });

  it('writes drift once, and its end once', async () => {
    const world = await observingWorld({ of: [named('db')] });
    world.cloud.says = found({ ...config, size: 3 });
    await world.pass(3 * hour, minute);
    expect(world.writes).toEqual(['db Drifted']);
    world.cloud.says = found(config);
    await world.pass(3 * hour, minute);
    expect(world.writes).toEqual(['db Drifted', 'db Processed']);
    expect(world.news.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
      'Warning Drifted',
      'Normal Processed',
    ]);
    expect(world.outcomes).toEqual([
      'changed',
      'changed',
      'changed',
      'in_sync',
      'in_sync',
      'in_sync',
    ]);
  });

  it('changes no content, no outputs, no state, no attempt', async () => {
    const world = await observingWorld({ of: [named('db')] });
    const { spec, status } = world.get('db');
    world.cloud.says = found({ ...config, size: 3 }, { url: 'of another' });
    await world.pass(hour, minute);
    const after = world.get('db');
    expect(after.spec).toEqual(spec);
    for (const field of [
      'state',
      'event',
      'outputs',
      'appliedConfig',
      'content',
      'error',
    ] as const) {
      expect(after.status?.[field]).toEqual(status?.[field]);
    }
  });

  it('follows no schedule with the interval never, and a request at once', async () => {
    const world = await observingWorld({
      of: [named('db', { spec: { observe: { every: 'never' } } })],
    });
    await world.pass(30 * hour, hour);
    expect(world.observed()).toEqual([]);
    await world.request('db', 'r-1');
    await world.request('db', 'r-1');
    expect(world.observed()).toEqual(['db']);
    expect(world.get('db').status?.observation).toMatchObject({ request: 'r-1', compared: 1 });
    await world.request('db', 'r-2');
    expect(world.writes).toEqual(['db Processed', 'db Processed']);
  });

  it('sends nothing of a suspended organization', async () => {
    const world = await observingWorld({ of: [named('db')] });
    const [organization] = world.objects.organizations.items();
    if (organization === undefined) throw new Error('no organization');
    world.objects.organizations.put({
      ...organization,
      spec: { ...organization.spec, suspended: true },
    });
    await world.request('db', 'r-1');
    await world.pass(3 * hour, minute);
    expect(world.observed()).toEqual([]);
  });

  it('waits for a turn of its type, and takes no event’s', async () => {
    const world = await observingWorld({
      of: [named('db')],
      objects: observedObjects([named('db')], { concurrency: 1 }),
    });
    const { namespace } = named('db').metadata;
    const event = {
      ...{ provider: `${namespace}/postgres`, key: 'event' },
      ...{ type: 'database', limit: 1 },
    };
    world.declared.enter(event);
    await world.request('db', 'r-1');
    await world.pass(5_000, 1_000);
    expect(world.observed()).toEqual([]);
    world.declared.leave(event, 'answered');
    await world.pass(1_000);
    expect(world.observed()).toEqual(['db']);
    expect(world.declared.enter(event).enter, 'it gave its turn back').toBe('go');
  });
});

describe('what is no observation', () => {
  const failed = { kind: 'failed', terminal: false, code: 'HTTP_503' } as const;
  it.each<[string, Answer, string]>([
    ['an error', { ...failed, message: 'busy' }, 'busy'],
    ['an error with a secret', { ...failed, message: 'no a-known-secret' }, 'no [masked]'],
    [
      'an error with a credential',
      { ...failed, message: 'postgres://me:hunter22@db refused' },
      'postgres://[masked]@db refused',
    ],
    [
      'another answer',
      { kind: 'succeeded', outputs: {} },
      'The provider answered with something else than an observation',
    ],
  ])('leaves the resource as it is: %s', async (_name, says, error) => {
    const world = await observingWorld({ of: [named('db', { spec: correct })] });
    world.cloud.says = says;
    await world.request('db', 'r-1');
    const { status } = world.get('db');
    expect(status?.observation).toMatchObject({ request: 'r-1', error });
    expect(status).toMatchObject({ state: 'ready', reason: 'Processed' });
    expect(status).not.toHaveProperty('drift');
    expect(world.outcomes).toEqual(['not_observed']);
  });

  it('is a provider of which no process is ready', async () => {
    const world = await observingWorld({ of: [named('db')], endpoint: '' });
    await world.request('db', 'r-1');
    expect(world.get('db').status?.observation?.error).toBe(
      'No process of provider postgres is ready',
    );
    expect(world.observed()).toEqual([]);
  });

  it('is reported after three intervals, once, and ends with an answer', async () => {
    const world = await observingWorld({ of: [named('db')] });
    world.cloud.says = { ...failed, message: 'busy' };
    await world.pass(2 * hour, minute);
    expect([world.writes, world.outcomes.length]).toEqual([[], 2]);
    await world.pass(8 * hour, minute);
    expect(world.get('db').status?.conditions).toMatchObject([
      { type: 'Ready', status: 'True' },
      { type: 'Observed', status: 'False', message: 'Not observed: busy' },
    ]);
    world.cloud.says = found(config);
    await world.pass(hour, minute);
    expect(world.writes).toEqual(['db Processed', 'db Processed']);
    expect(world.get('db').status?.conditions?.map(({ type }) => type)).toEqual(['Ready']);
  });
});

describe('a write', () => {
  it('that lost against another is repeated with what is observed then', async () => {
    let losses = 1;
    const objects = observedObjects([named('db')], { schema });
    const { claims, writes } = writesTo(objects);
    const world = await observingWorld({
      ...{ of: [named('db')], objects },
      claims: {
        ...claims,
        writeStatus(resource, status) {
          losses -= 1;
          if (losses < 0) return claims.writeStatus(resource, status);
          return Promise.reject(new KubeError({ reason: 'conflict', message: 'no' }));
        },
      },
    });
    world.cloud.says = notThere;
    await world.request('db', 'r-1');
    expect(writes).toEqual([]);
    await world.pass(minute, 1_000);
    expect([writes, world.observed()]).toEqual([['db Gone'], ['db', 'db']]);
  });

  it('that is too large is told, and not tried again before the next observation', async () => {
    const tooLarge = () => Promise.reject(new KubeError({ reason: 'tooLarge', message: 'no' }));
    const claims = { writeStatus: tooLarge, runAgain: () => expect.unreachable('it corrects') };
    const world = await observingWorld({
      of: [named('db', { spec: { observe: { every: '1h' } } })],
      claims,
    });
    world.cloud.says = notThere;
    await world.pass(hour, minute);
    expect(world.observed()).toEqual(['db']);
    expect(world.news[0]).toMatchObject({ type: 'Warning', reason: 'TooLarge' });
  });

  it('that is too large answers its request with a small refusal, once', async () => {
    const objects = observedObjects([named('db')], { schema });
    const { claims, writes } = writesTo(objects);
    const world = await observingWorld({
      ...{ of: [named('db')], objects },
      claims: {
        ...claims,
        writeStatus(resource, status) {
          if (status?.drift === undefined) return claims.writeStatus(resource, status);
          return Promise.reject(new KubeError({ reason: 'tooLarge', message: 'no' }));
        },
      },
    });
    world.cloud.says = notThere;
    await world.request('db', 'r-1');
    await world.pass(5_000, 1_000);
    expect([writes, world.observed()]).toEqual([['db Processed'], ['db']]);
    const error = 'The observation is too large to be stored';
    expect(world.get('db').status?.observation).toMatchObject({ request: 'r-1', error });
    expect(world.outcomes).toEqual(['not_observed']);
  });
});
