// The options of a resource in its history: a change of one is a revision, also a change with kubectl.
import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import { defaultOptions } from '../../../../src/domain/resource-options.ts';
import { nothingRecorded } from '../../../../src/domain/secrets/resource-secrets.ts';
import { configOnly } from '../../../../src/domain/secrets/type-schemas.ts';
import {
  type Change,
  changesBetween,
  type ShownEntry,
} from '../../../../src/store/resources/history/changes.ts';
import { historyEntry } from '../../../../src/store/resources/history/contents.ts';
import { markFor, markOf } from '../../../../src/store/resources/history/mark.ts';
import { dataOf, entriesIn } from '../../../../src/store/resources/history/slots.ts';
import { aResource, now, secondsLater } from '../../../support/fixtures/builders.ts';

type Spec = Resource['spec'];
type Options = Partial<
  Pick<Spec, 'protected' | 'expiresAt' | 'paused' | 'deletionPolicy'> &
    Pick<Spec, 'observe' | 'management' | 'adopt' | 'set'>
>;

const later = secondsLater(60).toISOString();
const ada = { subject: 's-1', name: 'Ada' };

/** As an apply writes it. */
function applied(options: Options, existing?: Resource): Resource {
  const { metadata, spec } = aResource({ spec: options });
  const annotations = markFor(existing, { spec, now, by: ada, secrets: [] });
  return { ...aResource(), metadata: { ...metadata, annotations }, spec };
}

/** As kubectl writes it: the marks stay. */
function changed(resource: Resource, options: Options): Resource {
  const { provider, resource: type, name, project, lifecycle, config } = resource.spec;
  const rest = { provider, resource: type, name, project, lifecycle, config };
  return { ...resource, spec: { ...rest, ...options } };
}

function entryOf(resource: Resource): ShownEntry {
  const judged = {
    spec: resource.spec,
    schemas: configOnly({}),
    secrets: nothingRecorded,
    typeVersion: 1,
  };
  return { ...historyEntry(markOf(resource), judged), maskedThen: [] };
}

const change = (path: string, before: unknown, after: unknown) =>
  ({ path, change: 'changed', before, after }) as Change;

const rows: Readonly<Record<string, readonly [Options, Options, readonly Change[]]>> = {
  'no option': [{}, {}, []],
  'protection that is set': [{}, { protected: true }, [change('/protected', false, true)]],
  'protection that is lifted': [{ protected: true }, {}, [change('/protected', true, false)]],
  'an expiry that is set': [{}, { expiresAt: later }, [change('/expires_at', null, later)]],
  'a pause that ends': [{ paused: true }, {}, [change('/paused', true, false)]],
  'values that are left to others': [
    {},
    { observe: { ignore: ['/tags'], onDrift: 'Correct' } },
    [change('/observe/ignore', [], ['/tags']), change('/observe/on_drift', 'report', 'correct')],
  ],
  'an object that is only observed from now on': [
    {},
    { management: 'Observed' },
    [change('/management', 'managed', 'observed')],
  ],
  'a set that it joins': [{}, { set: 'shop' }, [change('/set', null, 'shop')]],
  'another object to import': [
    { adopt: { id: '7' } },
    { adopt: { id: '8' } },
    [change('/adopt/id', '7', '8')],
  ],
  'an import, which leaves its object': [
    {},
    { adopt: { id: '7' } },
    [change('/adopt', null, { id: '7' }), change('/deletion_policy', 'delete', 'orphan')],
  ],
  'a policy and a protection': [
    { protected: true },
    { deletionPolicy: 'Orphan' },
    [change('/protected', true, false), change('/deletion_policy', 'delete', 'orphan')],
  ],
};

describe('a history shows', () => {
  it.each(Object.entries(rows))('%s, with who did it', (_name, [before, after, want]) => {
    const first = applied(before);
    const second = applied(after, first);
    expect(changesBetween(entryOf(first), entryOf(second))).toEqual(want);
    expect(markOf(second)).toMatchObject({ revision: 2, by: 's-1', at: now.toISOString() });
  });

  const real = Object.entries(rows).filter(([, [, , want]]) => want.length > 0);
  it.each(real)('%s with kubectl, without a subject', (_name, [before, after, want]) => {
    const first = applied(before);
    const second = changed(first, after);
    expect(changesBetween(entryOf(first), entryOf(second))).toEqual(want);
    expect(markOf(second)).toEqual({ revision: 2, at: null, by: null });
  });

  it('no revision for the same options in another spelling', () => {
    const first = applied({ expiresAt: later });
    const spelled = { protected: false, paused: false, deletionPolicy: 'Delete' } as const;
    const same = changed(first, { ...spelled, expiresAt: '2026-01-01T01:01:00+01:00' });
    expect(markOf(same)).toMatchObject({ revision: 1, by: 's-1' });
  });

  it('the options of a revision that it kept', () => {
    const entry = entryOf(applied({ protected: true, paused: true }));
    const { maskedThen: _, ...line } = entry;
    const [found] = entriesIn(dataOf(line));
    const options = { ...defaultOptions, protected: true, paused: true };
    expect(found?.content?.options).toEqual(options);
    expect(entryOf(applied({})).content, 'the defaults need no room').not.toHaveProperty('options');
  });

  it('no content whose options are none: users of the namespace may write it', () => {
    const { maskedThen: _, ...line } = entryOf(applied({ protected: true }));
    const data = dataOf(line);
    const forged = String(data['content-1']).replace('"protected":true', '"protected":"no"');
    expect(forged).toContain('"no"');
    const [found] = entriesIn({ ...data, 'content-1': forged });
    expect(found).toMatchObject({ revision: 1 });
    expect(found?.content).toBeUndefined();
  });
});
