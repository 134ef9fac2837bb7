// Types of a provider while versions are deployed, replaced before they serve, rolled back and given up.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Build } from '../../../../src/crds/build.ts';
import type { Provider } from '../../../../src/crds/provider.ts';
import type { ResourceDefinition } from '../../../../src/crds/resource-definition.ts';
import type { Observed } from '../../../../src/reconcilers/deployment/observe.ts';
import {
  type TypeChange,
  typesToSettle,
  typesToStage,
} from '../../../../src/reconcilers/deployment/type-changes.ts';
import { typeInForce } from '../../../../src/store/providers/type-in-force.ts';

const versions = ['20260101.000001', '20260102.000002', '20260103.000003'] as const;
const names = ['crate', 'barrel', 'box'] as const;
type Types = Readonly<Record<string, string>>;

/** The stored objects of one provider, and the passes of its controller. */
class World {
  wanted: string;
  serving: string | undefined;
  readonly definitions = new Map<string, ResourceDefinition>();
  readonly built: ReadonlyMap<string, Types>;
  readonly used: ReadonlySet<string>;

  constructor(built: ReadonlyMap<string, Types>, used: ReadonlySet<string>) {
    this.built = built;
    this.used = used;
    this.wanted = versions[0];
  }

  get provider(): Provider {
    const status = this.serving === undefined ? {} : { deployedVersion: this.serving };
    return {
      metadata: { name: 'shop' },
      spec: { provider: 'shop', version: this.wanted },
      status: { ...status, deployedAt: '2026-01-01T00:00:00.000Z' },
    };
  }

  get observed(): Observed {
    const types = Object.entries(this.built.get(this.wanted) ?? {}).map(
      ([resource, description]) => ({ resource, description }),
    );
    return {
      provider: this.provider,
      build: { status: { types } } as unknown as Build,
      definitions: [...this.definitions.values()],
      usedTypes: this.used,
    } as unknown as Observed;
  }

  /** One write; others of the same pass may be lost in a crash. */
  step(changes: readonly TypeChange[]): boolean {
    const [change] = changes;
    if (change?.do === 'remove') this.definitions.delete(change.existing.spec.resource);
    if (change?.do === 'write') {
      const { name, spec } = change;
      this.definitions.set(spec.resource, { metadata: { name }, spec });
    }
    return change !== undefined;
  }

  /** What a user of the API meets: descriptions by type, `retired` for those that accept nothing. */
  visible(): Types {
    const found = [...this.definitions.values()].flatMap((each) => {
      const type = typeInForce(each, this.provider);
      if (type === undefined) return [];
      const what = type.retired === undefined ? type.content.description : 'retired';
      return [[each.spec.resource, what] as const];
    });
    return Object.fromEntries(found);
  }

  accepted(): Types {
    return Object.fromEntries(
      Object.entries(this.visible()).filter(([, what]) => what !== 'retired'),
    );
  }
}

type Act = 'pass' | 'take over' | { readonly deploy: string };

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...versions).map((version) => ({ deploy: version })) },
  { weight: 4, arbitrary: fc.constant('pass' as const) },
  { weight: 2, arbitrary: fc.constant('take over' as const) },
);
const typesOf = fc.dictionary(fc.constantFrom(...names), fc.constantFrom('a', 'b'), {
  maxKeys: names.length,
});
const worlds = fc
  .tuple(fc.tuple(typesOf, typesOf, typesOf), fc.subarray([...names]))
  .map(([built, used]) => {
    const byVersion = new Map<string, Types>(
      versions.map((version, index) => [version, built[index] ?? {}]),
    );
    return new World(byVersion, new Set(used));
  });

function pass(world: World): boolean {
  return world.step([...typesToSettle(world.observed), ...typesToStage(world.observed)]);
}

/** A version takes over by the rule of the controller: only when nothing remains to be staged. */
function perform(each: Act, world: World): void {
  if (each === 'pass') pass(world);
  else if (each !== 'take over') world.wanted = each.deploy;
  else if (typesToStage(world.observed).length === 0) world.serving = world.wanted;
}

it('what users meet changes only with the version that serves, and is then complete', () => {
  fc.assert(
    fc.property(worlds, fc.array(act, { maxLength: 40 }), (world, acts) => {
      for (const each of acts) {
        perform(each, world);
        const { serving } = world;
        expect(world.accepted()).toEqual(serving === undefined ? {} : world.built.get(serving));
      }
    }),
    { numRuns: 2_000 },
  );
});

it('stores everything that a version says about a type, before and after it takes over', () => {
  const content = {
    description: 'A crate',
    schema: { type: 'object' },
    timeoutSeconds: 900,
    retry: { attempts: 3, maxDelaySeconds: 9 },
  };
  const [first, second] = versions;
  const world = new World(new Map([[first, { crate: 'a' }]]), new Set());
  while (pass(world));
  world.serving = first;
  world.wanted = second;
  const build = { status: { types: [{ resource: 'crate', ...content }] } } as unknown as Build;
  world.step(typesToStage({ ...world.observed, build }));
  const stored = () => world.definitions.get('crate')?.spec;
  expect(stored()).toMatchObject({ description: 'a', next: { version: second, ...content } });
  world.serving = second;
  while (world.step(typesToSettle({ ...world.observed, build })));
  const type = { provider: 'shop', resource: 'crate', providerVersion: second };
  expect(stored()).toEqual({ ...type, ...content });
});

it('ends, with nothing left of versions that were given up and types without resources', () => {
  fc.assert(
    fc.property(worlds, fc.array(act, { maxLength: 30 }), (world, acts) => {
      for (const each of acts) perform(each, world);
      for (const act of ['pass', 'take over'] as const) {
        for (let passes = 0; pass(world); passes += 1) expect(passes).toBeLessThan(20);
        perform(act, world);
      }
      for (let passes = 0; pass(world); passes += 1) expect(passes).toBeLessThan(20);
      const left = [...world.definitions.values()].filter(
        ({ spec: { providerVersion, next } }) =>
          next !== undefined || providerVersion !== world.serving,
      );
      const types = left.map(({ spec }) => spec.resource);
      expect([...world.used]).toEqual(expect.arrayContaining(types));
      for (const { spec } of left) expect(spec.retired).toBeDefined();
    }),
    { numRuns: 1_000 },
  );
});
