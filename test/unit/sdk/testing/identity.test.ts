// Identities in the kit and in the contract: one object has one resource, and what a type says of its objects is consistent.
import { describe, expect, it } from 'vitest';
import { gone, provider, z } from '../../../../src/sdk/index.ts';
import { testKit } from '../../../../src/sdk/testing/index.ts';

interface Box {
  readonly owner: string;
  readonly label: string;
}

interface Boxes {
  readonly store?: Map<string, Box>;
  readonly idOf?: (owner: string, label: string) => string;
  readonly observedId?: (id: string) => string;
  readonly listed?: (ids: readonly string[]) => readonly string[];
}

/** A provider of boxes, and one mistake at most. */
function boxes({ store = new Map(), idOf = (owner) => owner, ...mistakes }: Boxes = {}) {
  const { observedId = (id) => id, listed = (ids) => ids } = mistakes;
  const declared = provider('boxes', {});
  const put = (id: string, { owner, config }: { owner: string; config: { label: string } }) => {
    store.set(id, { owner, label: config.label });
    return { id };
  };
  const box = declared.resource('box', {
    description: 'A box',
    config: z.strictObject({ label: z.string() }),
    outputs: z.object({ id: z.string() }),
    identity: {
      schema: z.strictObject({ id: z.string() }),
      of: (outputs) => ({ id: outputs.id }),
      forNew: ({ owner }) => ({ id: owner }),
    },
    create: (call) => put(idOf(call.owner, call.config.label), call),
    update: (call) => put(call.identity.id, call),
    delete({ identity }) {
      store.delete(identity.id);
    },
    observe({ identity: { id } }) {
      const found = store.get(id);
      if (found === undefined) return gone();
      return { config: { label: found.label }, outputs: { id: observedId(id) } };
    },
    list: () => ({ items: listed([...store.keys()]).map((id) => ({ adopt: { id } })) }),
  });
  return declared.types(box);
}

describe('the kit', () => {
  it('refuses the import of an object that another resource has, until that is gone', async () => {
    await using kit = await testKit(boxes());
    const [first, twin] = [kit.resource('box', 'first'), kit.resource('box', 'twin')];
    await first.apply({ label: 'a' });
    const adopt = { id: 'testing/default/first' };
    expect(await twin.adopt(adopt, { label: 'a' })).toMatchObject({ code: 'OBJECT_TAKEN' });
    expect(twin.calls).toBe(0);
    await first.delete();
    await first.apply({ label: 'a' });
    expect(await first.apply({ label: 'b' })).toMatchObject({ state: 'ready' });
  });

  it('refuses outputs that name the object of another resource', async () => {
    await using kit = await testKit(boxes({ idOf: (_owner, label) => label }));
    await kit.resource('box', 'first').apply({ label: 'shared' });
    const thief = kit.resource('box', 'thief');
    expect(await thief.apply({ label: 'shared' })).toMatchObject({
      ...{ state: 'failed', code: 'ALREADY_EXISTS' },
      message: expect.stringContaining('resource first'),
    });
    expect(thief.outputs).toEqual({});
  });
});

const broken: Record<string, readonly [Boxes, RegExp]> = {
  'two resources have one identity': [
    { idOf: (owner) => owner.slice(0, owner.lastIndexOf('/')) },
    /identity of a second resource: expected another one/,
  ],
  'observe returns another identity': [
    { observedId: (id) => `${id}-seen` },
    /identity of the outputs of observe: expected that of create/,
  ],
  'list leaves out what create made': [
    { listed: () => [] },
    /identity in list: expected an item with that of what create made/,
  ],
};

describe('the contract', () => {
  const given = { config: { label: 'a' }, fenced: false } as const;

  it('accepts a consistent identity', async () => {
    await using kit = await testKit(boxes());
    await kit.contract('box', given);
  });

  it.each(Object.entries(broken))('finds that %s', async (_what, [mistake, message]) => {
    await using kit = await testKit(boxes(mistake));
    await expect(kit.contract('box', given)).rejects.toThrow(message);
  });
});
