// Generates resources with everything around them, in any combination that the types permit, for properties of explanations.
import fc from 'fast-check';
import type { Holder } from '../../src/api/roles.ts';
import { Reason } from '../../src/crds/conditions.ts';
import type { ClaimedEvent, Resource } from '../../src/crds/resource.ts';
import type {
  BuildFacts,
  DeliveryFacts,
  Facts,
  ProviderFacts,
} from '../../src/store/resources/explanation/facts.ts';
import { hasFailed } from '../../src/store/resources/state.ts';
import { aClaim } from './builders.ts';
import { finder, named } from './explained-resources.ts';
import { available, explainedAt, letter } from './explanations.ts';

export interface World {
  readonly facts: Facts;
  readonly caller: Holder;
}

const around = (seconds: number) =>
  fc
    .integer({ min: -seconds, max: seconds })
    .map((offset) => new Date(explainedAt.getTime() + offset * 1_000).toISOString());
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });

/** Of a resource; they may be stale. */
const reasonsOf = {
  pending: [
    ...[Reason.Queued, Reason.WaitingForProvider, Reason.DependenciesNotReady],
    ...[Reason.DependencyMissing, Reason.DependencyFailed, Reason.DependencyDraft],
    ...[Reason.DependencyInOtherProject, Reason.DependencyCycle, Reason.TypeNotRegistered],
    ...[Reason.TypeRetired, Reason.Paused, Reason.Suspended, Reason.QuotaExceeded],
    ...[Reason.NoOrganization, Reason.NoProject, Reason.InvalidName, Reason.Forbidden],
    ...[Reason.Invalid, Reason.ReconcileFailed, Reason.NamespaceTerminating],
  ],
  processing: [
    ...[Reason.Processing, Reason.RetryScheduled, Reason.InProgress, Reason.WaitingForProvider],
    ...[Reason.Paused, Reason.Suspended, Reason.ReconcileFailed, Reason.Forbidden],
  ],
  deleting: [
    ...[Reason.Deleting, Reason.RetryScheduled, Reason.InProgress, Reason.WaitingForProvider],
    ...[Reason.InUse, Reason.DeleteFailed, Reason.TypeRetired, Reason.ReconcileFailed],
  ],
  failed: [
    ...[Reason.ProviderFailed, Reason.AttemptsExhausted, Reason.OperationTimedOut],
    ...[Reason.UnknownOutput, Reason.InvalidConfig, Reason.SchemaUnusable, Reason.TooLarge],
    Reason.TypeRetired,
  ],
  ready: [Reason.Processed],
} as const;

const error = fc.constantFrom(
  ...['nobody: Nobody can be greeted', 'HTTP_403: The provider answered 403', 'handler_error: x'],
  ...['CRASHED: Error: Boom (index.ts:15)', 'crashed: Boom', 'CONNECTION_LOST: lost'],
  ...['TIMEOUT: no answer', 'UNREACHABLE: refused', 'invalid_outputs: url', 'INVALID_ANSWER: 200'],
  ...['INVALID_CONFIG: config.x', 'UNKNOWN_OUTPUT: seller has none', 'unsigned: no', 'a text'],
  ...['OPERATION_TIMED_OUT: late', 'PROVIDER_MISSING: none', 'unknown_type: none'],
  ...['clock_skew: The clock of the provider is 90 s ahead of that of Fairlead'],
  ...['TYPE_RETIRED: retired', 'SCHEMA_UNUSABLE: x', 'not_found: path'],
);

const event = (type: fc.Arbitrary<ClaimedEvent['type']>) =>
  fc.record({
    type,
    attempt: fc.integer({ min: 1, max: 6 }),
    startedAt: around(3_600),
    nextAttemptAt: maybe(around(120)),
    acceptedAt: maybe(around(3_600)),
    crash: maybe(fc.constantFrom('Suspect' as const, 'Culprit' as const)),
  });

const names = ['r0', 'r1', 'r2'] as const;
const project = 'default-0123456789ab';

/** @param name of the resource; what it uses is another one, a missing one, or one of another project */
function resource(name: string): fc.Arbitrary<Resource> {
  const state = fc.constantFrom('pending', 'processing', 'deleting', 'failed', 'ready', 'draft');
  const made = fc.constantFrom('CREATE', 'UPDATE');
  return state.chain((state) => {
    const reasons = state === 'draft' ? [Reason.Draft] : reasonsOf[state as 'pending'];
    return fc
      .record({
        reason: fc.constantFrom(...reasons),
        error: maybe(error),
        event:
          state === 'processing' || state === 'failed'
            ? event(made)
            : maybe(event(state === 'deleting' ? fc.constantFrom('CREATE', 'DELETE') : made)),
        on: maybe(fc.constantFrom(...names, 'missing', 'elsewhere')),
        paused: fc.boolean(),
        hasStatus: fc.boolean(),
      })
      .map(({ reason, error, event, on, paused, hasStatus }) => {
        const dependencies = [{ provider: 'postgres', resource: 'database', name: on ?? '' }];
        const isRecorded = hasStatus || state === 'processing' || state === 'failed';
        return named(name, {
          spec: {
            ...(state === 'draft' && { lifecycle: 'Draft' as const }),
            ...(on !== undefined && on !== name && { dependencies }),
            ...(paused && { paused }),
            project,
          },
          metadata: {
            uid: `uid-${name}`,
            ...(state === 'deleting' && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
          },
          ...(isRecorded && state !== 'draft' && { state: state as 'pending' }),
          reason,
          message: error ?? 'A sentence',
          ...(error !== undefined && { error }),
          ...(event !== undefined && { event: claimOf(event) }),
        });
      });
  });
}

function claimOf({ nextAttemptAt, acceptedAt, crash, ...event }: Partial<ClaimedEvent>) {
  return aClaim({
    ...event,
    ...(nextAttemptAt !== undefined && { nextAttemptAt }),
    ...(acceptedAt !== undefined && { acceptedAt }),
    ...(crash !== undefined && { crash }),
  });
}

const build: fc.Arbitrary<BuildFacts> = fc.record({
  jobName: fc.constant('postgres-1'),
  version: fc.constant('20260101.000000'),
  phase: fc.constantFrom('pending', 'building', 'success', 'failed'),
  error: nullable(fc.constantFrom('npm ci', 'A sentence')),
  since: fc.constant(null),
});

const deployed = fc.constantFrom(
  { state: 'available', reason: Reason.Available },
  { state: 'pending', reason: Reason.Available },
  { state: 'pending', reason: null },
  { state: 'progressing', reason: Reason.Progressing },
  { state: 'progressing', reason: Reason.Suspended },
  { state: 'progressing', reason: Reason.QuotaExceeded },
  { state: 'failed', reason: Reason.DeploymentFailed },
  { state: 'failed', reason: Reason.SettingsMissing },
  { state: 'failed', reason: Reason.BuildMissing },
  { state: 'failed', reason: Reason.NoOrganization },
) satisfies fc.Arbitrary<Pick<ProviderFacts, 'state' | 'reason'>>;
const external = fc.constantFrom(
  { state: 'available', reason: Reason.ExternalEndpoint },
  { state: 'failed', reason: Reason.Unreachable },
  { state: 'failed', reason: Reason.InvalidEndpoint },
) satisfies fc.Arbitrary<Pick<ProviderFacts, 'state' | 'reason'>>;

const message = nullable(fc.constantFrom('Boom', 'A sentence'));
const settings = {
  missingSettings: fc.constantFrom([], ['url'], ['url', 'key']),
  newSettings: fc.constantFrom([], ['url']),
};
const skewedSince = nullable(fc.constant('2026-01-01T00:00:30.000Z'));
const provider: fc.Arbitrary<ProviderFacts> = fc.oneof(
  fc.record({ build: maybe(build) }).map(({ build }) => ({
    ...available,
    ...({ state: 'missing', reason: null, since: null, version: null, build } as const),
  })),
  fc
    .record({
      is: deployed,
      build: maybe(build),
      message,
      previousVersion: nullable(fc.constant('20251231.000000')),
      ...settings,
      skewedSince,
    })
    .map(({ is, ...facts }) => ({ ...available, ...is, ...facts })),
  fc
    .record({ is: external, message, skewedSince })
    .map(({ is, ...facts }) => ({ ...available, ...is, ...facts, external: true, version: null })),
);

/** What the cache of the API knows may differ from the provider that was read. */
function deliveryTo({ state, external, reason }: ProviderFacts): fc.Arbitrary<DeliveryFacts> {
  const isServed = external ? fc.constant(reason !== Reason.InvalidEndpoint) : fc.boolean();
  return fc.record({
    isServed: state === 'missing' ? fc.constant(false) : isServed,
    isRegistered: fc.boolean(),
    limitSeconds: fc.constantFrom(1, 30, 3_600),
  });
}

const caller: fc.Arbitrary<Holder> = fc.record({
  role: fc.constantFrom('viewer', 'editor', 'admin'),
  project: fc.constantFrom(undefined, project),
});

/** Worlds around one resource that is asked about. */
export const worlds: fc.Arbitrary<World> = provider
  .chain((provider) =>
    fc.record({
      resources: fc.tuple(resource('r0'), resource('r1'), resource('r2')),
      elsewhere: resource('elsewhere'),
      provider: fc.constant(provider),
      delivery: deliveryTo(provider),
      caller,
      hasLetter: fc.boolean(),
      lines: fc.constantFrom(0, 1, 12),
      users: fc.constantFrom([], ['postgres/database/r9']),
      culprit: maybe(fc.constant('postgres/database/crash')),
      meant: maybe(fc.constant('postgres/database/meant')),
    }),
  )
  .map(({ resources, elsewhere, provider, caller, hasLetter, lines, culprit, meant, ...known }) => {
    const [asked, ...others] = resources;
    const foreign = { ...elsewhere, spec: { ...elsewhere.spec, project: 'other' } };
    const path = finder(asked, ...others, foreign)(asked);
    const last = path.at(-1) ?? path[0];
    // A platform program is no admin.
    const holder =
      caller.project !== undefined && caller.role === 'admin'
        ? { ...caller, role: 'editor' as const }
        : caller;
    const confined = holder.project !== undefined;
    const { error = '' } = last.resource.status ?? {};
    const isLost = error.startsWith('CONNECTION_LOST') || error.startsWith('CRASHED');
    const log = Array.from({ length: lines }, (_each, at) => `line ${at}`);
    const facts: Facts = {
      ...known,
      path,
      maxAttempts: 5,
      confined,
      provider: confined ? undefined : provider,
      deadLetter:
        hasLetter && !confined && hasFailed(last.resource) ? { ...letter, log } : undefined,
      culprit: isLost && last.resource.status?.event?.crash !== 'Culprit' ? culprit : undefined,
      meant: last.waitsFor?.is === 'missing' ? meant : undefined,
    };
    return { facts, caller: holder };
  });
