// Runs controllers on a real API server with a provider that fails on command: dozens of dead letters, without HTTP.
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import type { Caches } from '../../src/app/caches.ts';
import type { Organization } from '../../src/crds/organization.ts';
import { type Resource, resourceFinalizer } from '../../src/crds/resource.ts';
import {
  defaultProjectId,
  definitionNameOf,
  keyOf,
  objectNameOf,
  organizationOf,
} from '../../src/domain/identity.ts';
import type { Answer, OutgoingEvent } from '../../src/events/protocol.ts';
import type { KindRef, KubeObject } from '../../src/kube/api.ts';
import type { StreamingClient } from '../../src/kube/client.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import {
  type DeadLetterObject,
  fromConfigMap,
  type StoredDeadLetter,
} from '../../src/store/dead-letters/object.ts';
import { type RedriveObject, redriveSelector } from '../../src/store/dead-letters/redrives.ts';
import { apiVersion, configMapKind, kinds, label } from '../../src/store/kinds.ts';
import { type ProcessOptions, startControllers } from './controllers-of-a-process.ts';
import { dyingClient } from './dying-client.ts';
import { eventually } from './eventually.ts';

const provider = 'box';
const type = 'crate';

export interface DeadLetterFixture {
  readonly namespace: string;
  /** The error of events, by the prefix of a resource's name. Without an entry they succeed. */
  readonly broken: Map<string, string>;
  /** Names of the resources whose events the provider received, in order. */
  readonly received: string[];
  /** Runs controllers until stopped, at the end of the test at the latest. They die at the n-th write; 0: they live. */
  run(lastWrite?: number): Running;
  /** @param project defaults to the default project of the organization */
  apply(names: readonly string[], project?: string): Promise<void>;
  resource(name: string): Promise<Resource>;
  change(name: string, config: Record<string, unknown>): Promise<void>;
  remove(name: string): Promise<void>;
  /** Names of resources by state. */
  states(): Promise<Record<string, readonly string[]>>;
  deadLetters(): Promise<readonly StoredDeadLetter[]>;
  redrives(): Promise<readonly RedriveObject[]>;
}

export interface Running {
  readonly dying: ReturnType<typeof dyingClient>;
  readonly caches: Caches;
  stop(): Promise<void>;
}

/** An organization with one type and its provider. */
export async function deadLetterFixture(
  real: StreamingClient,
  options: Pick<ProcessOptions, 'supersededKept' | 'eventTimeoutMs' | 'policy'> & {
    /** Runs before the provider answers. */
    readonly before?: (event: OutgoingEvent, signal: AbortSignal) => Promise<void>;
    /** An answer instead of the usual one. */
    readonly answer?: (event: OutgoingEvent) => Answer | undefined;
    /** What a success contains; defaults to the name. */
    readonly outputs?: (event: OutgoingEvent) => JsonObject;
  } = {},
): Promise<DeadLetterFixture> {
  const organization = organizationOf('https://letters.test', `org-${randomUUID()}`);
  const { namespace, issuer, id } = organization;
  const broken = new Map<string, string>();
  const received: string[] = [];

  async function dispatch(
    event: OutgoingEvent,
    _endpoint: unknown,
    signal: AbortSignal,
  ): Promise<Answer> {
    const { name } = event;
    received.push(name);
    await options.before?.(event, signal);
    const instead = options.answer?.(event);
    if (instead !== undefined) return instead;
    const message = [...broken].find(([beginning]) => name.startsWith(beginning))?.[1];
    if (message === undefined)
      return { kind: 'succeeded', outputs: options.outputs?.(event) ?? { name } };
    return { kind: 'failed', terminal: true, code: 'BROKEN', message };
  }

  function run(lastWrite = 0): Running {
    const dying = dyingClient(real, lastWrite);
    const { before: _before, answer: _answer, outputs: _outputs, ...settings } = options;
    const given = { ...settings, dispatch, workers: 32 };
    const controllers = startControllers(dying.client, given);
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= controllers.stop();
      return stopped;
    };
    onTestFinished(stop);
    return { dying, caches: controllers.caches, stop };
  }

  const make = (kind: KindRef, name: string, rest: object) =>
    real.create(kind, { apiVersion, kind: kind.kind, metadata: { name, namespace }, ...rest });
  const nameOf = (name: string) => objectNameOf(keyOf({ provider, resource: type, name }));

  const fixture: DeadLetterFixture = {
    namespace,
    broken,
    received,
    run,
    async apply(names, project = defaultProjectId({ namespace })) {
      for (const name of names) {
        const tuple = { provider, resource: type, name };
        await real.create(kinds.resource, {
          apiVersion,
          kind: kinds.resource.kind,
          metadata: { name: nameOf(name), namespace, finalizers: [resourceFinalizer] },
          spec: { ...tuple, project, lifecycle: 'Committed', config: {} },
        } as KubeObject);
      }
    },
    resource: (name) => real.get(kinds.resource, { namespace, name: nameOf(name) }),
    async change(name, config) {
      await real.patch(kinds.resource, { namespace, name: nameOf(name) }, { spec: { config } });
    },
    async remove(name) {
      await real.delete(kinds.resource, { namespace, name: nameOf(name) });
    },
    async states() {
      const { items } = await real.list<Resource>(kinds.resource, { namespace });
      const groups = Map.groupBy(items, ({ status }) => status?.state ?? 'none');
      const named = [...groups].map(([state, all]) => [state, all.map(({ spec }) => spec.name)]);
      return Object.fromEntries(named) as Record<string, readonly string[]>;
    },
    async deadLetters() {
      const labelSelector = `${label.deadLetter}=true`;
      const options = { namespace, labelSelector };
      const { items } = await real.list<DeadLetterObject>(configMapKind, options);
      return items.flatMap((object) => fromConfigMap(object) ?? []);
    },
    async redrives() {
      const options = { namespace, labelSelector: redriveSelector };
      return (await real.list<RedriveObject>(configMapKind, options)).items;
    },
  };

  await real.create(kinds.organization, {
    apiVersion,
    kind: kinds.organization.kind,
    metadata: { name: namespace },
    spec: { issuer, externalId: id },
  } as KubeObject);
  const founding = run();
  await eventually(async () => {
    const { status } = await real.get<Organization>(kinds.organization, { name: namespace });
    expect(status?.conditions?.[0]?.status).toBe('True');
  });
  await founding.stop();
  const definition = { provider, resource: type, description: 'A crate' };
  await make(kinds.definition, definitionNameOf(provider, type), { spec: definition });
  await make(kinds.provider, provider, { spec: { provider, endpoint: 'http://127.0.0.1:9' } });
  return fixture;
}
