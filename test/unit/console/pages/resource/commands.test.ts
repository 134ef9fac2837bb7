import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Me, ResourceDefinition, ResourceRecord } from '../../../../../src/api/shapes.ts';
import { resourceCommands } from '../../../../../src/console/pages/resource/commands.ts';
import { me } from '../../../../../src/console/session/session.ts';

const record = (changes: Partial<ResourceRecord>) =>
  ({
    ...{ provider: 'pg', resource: 'role', name: 'a', lifecycle_state: 'ready', drift: null },
    ...{ management: 'managed', deletion_requested_at: null, ...changes },
  }) as ResourceRecord;
const drift = { kind: 'changed' } as ResourceRecord['drift'];
const type = (observable: boolean) => ({ observable }) as ResourceDefinition;
const all = ['observe pg/role/a', 'correct pg/role/a', 'apply pg/role/a --from-actual'];

beforeEach(() => {
  me.value = { role: 'editor', project_id: null } as Me;
});

afterEach(() => {
  me.value = undefined;
});

describe('the commands about drift', () => {
  it.each<[string, Partial<ResourceRecord>, ResourceDefinition | undefined, readonly string[]]>([
    ['all, of what differs', { drift }, type(true), all],
    ['an observation, of what is in sync', {}, type(true), all.slice(0, 1)],
    ['the same, of a type that is not known', {}, undefined, all.slice(0, 1)],
    ['none, of a type that is not observed', { drift }, type(false), []],
    [
      'no correction, of what is only observed',
      { drift, management: 'observed' },
      type(true),
      [...all.slice(0, 1), ...all.slice(2)],
    ],
  ])('are %s', (_, changes, known, want) => {
    const commands = resourceCommands('why', record(changes), known);
    const found = commands.filter((each) => /observe|correct|--from-actual/.test(each));
    expect(found).toEqual(want.map((each) => `fairlead ${each}`));
  });

  it('are not offered to who only reads', () => {
    me.value = { role: 'viewer', project_id: null } as Me;
    expect(resourceCommands('why', record({ drift }), type(true))).toEqual([
      'fairlead why pg/role/a',
    ]);
  });
});
