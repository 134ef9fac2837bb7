// The revisions of a resource: their marks, what is kept of them, and what changed between two.
import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import { shownName } from '../../../../src/domain/actor.ts';
import { nothingRecorded } from '../../../../src/domain/secrets/resource-secrets.ts';
import { configOnly, typeSchemas } from '../../../../src/domain/secrets/type-schemas.ts';
import { KubeError } from '../../../../src/kube/errors.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { silentLog } from '../../../../src/lib/log.ts';
import { annotation } from '../../../../src/store/kinds.ts';
import {
  type Change,
  changesBetween,
  type ShownEntry,
} from '../../../../src/store/resources/history/changes.ts';
import {
  changedSecrets,
  historyEntry,
  maskedAgain,
  type RevisionContent,
  type StoredEntry,
} from '../../../../src/store/resources/history/contents.ts';
import { createHistoryKeeper } from '../../../../src/store/resources/history/keeper.ts';
import { markFor, markOf } from '../../../../src/store/resources/history/mark.ts';
import {
  dataOf,
  entriesIn,
  maxContentBytes,
} from '../../../../src/store/resources/history/slots.ts';

const now = new Date('2026-11-22T00:00:00.000Z');

const entry = (
  revision: number,
  content: Partial<RevisionContent> = {},
  more: Partial<ShownEntry> = {},
): ShownEntry => ({
  ...{ revision, hash: `h${revision}`, at: null, by: 'ada', name: 'n', secrets: [] },
  content: { lifecycle: 'Draft', config: {}, dependencies: [], masked: [], ...content },
  maskedThen: content.masked ?? [],
  ...more,
});

type Row = readonly [ShownEntry, ShownEntry, Change[]];
const masked = { config: { p: null }, masked: ['/config/p'] };
const inList = { config: { l: [{ p: null }] }, masked: ['/config/l/0/p'] };

const changes: Readonly<Record<string, Row>> = {
  'a member that is added, changed and removed': [
    entry(1, { config: { a: 1, b: 1 } }),
    entry(2, { config: { b: 2, c: 3 } }),
    [
      { path: '/config/a', change: 'removed', before: 1 },
      { path: '/config/b', change: 'changed', before: 1, after: 2 },
      { path: '/config/c', change: 'added', after: 3 },
    ],
  ],
  'a secret that changed': [
    entry(1, masked),
    entry(2, masked, { secrets: ['/config/p'] }),
    [{ path: '/config/p', change: 'changed' }],
  ],
  'no secret that stayed the same': [entry(1, masked), entry(2, masked), []],
  'a secret that may have changed, with kubectl': [
    entry(1, masked),
    entry(2, masked, { secrets: undefined }),
    [{ path: '/config/p', change: 'unknown' }],
  ],
  'a value that became a secret after the apply': [
    entry(1, masked, { maskedThen: [] }),
    entry(2, masked),
    [{ path: '/config/p', change: 'unknown' }],
  ],
  'a secret that is added': [entry(1), entry(2, masked), [{ path: '/config/p', change: 'added' }]],
  'a secret of an earlier schema, without its later value': [
    entry(1, masked),
    entry(2, { config: { p: 'shown' } }, { secrets: undefined }),
    [{ path: '/config/p', change: 'unknown' }],
  ],
  'a secret in a list': [
    entry(1, inList),
    entry(2, inList, { secrets: ['/config/l/0/p'] }),
    [{ path: '/config/l', change: 'changed' }],
  ],
  'state and dependencies': [
    entry(1),
    entry(2, { lifecycle: 'Committed', dependencies: ['a/b/c'] }),
    [
      { path: '/lifecycle_state', change: 'changed', before: 'draft', after: 'pending' },
      { path: '/dependencies', change: 'changed', before: [], after: ['a/b/c'] },
    ],
  ],
  'a long value, without the value': [
    entry(1, { config: { a: 'x'.repeat(2_000) } }),
    entry(2, { config: { a: 1 } }),
    [{ path: '/config/a', change: 'changed', after: 1 }],
  ],
  'too many members, as the whole': [
    entry(1),
    entry(2, { config: Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`k${n}`, n])) }),
    [{ path: '/config', change: 'changed' }],
  ],
};

describe('changes show', () => {
  it.each(Object.entries(changes))('%s', (_name, [before, after, want]) => {
    expect(changesBetween(before, after)).toEqual(want);
  });

  it('nothing when a content is not kept', () => {
    expect(changesBetween(entry(1, {}, { content: undefined }), entry(2))).toBeUndefined();
  });
});

type Data = Record<string, string>;

function stored(data: Data, each: StoredEntry): Data {
  const { maskedThen: _, ...line } = each as ShownEntry;
  const next = Object.entries({ ...data, ...dataOf(line) });
  return Object.fromEntries(next.filter((pair): pair is [string, string] => pair[1] !== null));
}

const sized = (revision: number, bytes: number) =>
  entry(revision, { config: { a: 'x'.repeat(bytes) } });
const keptIn = (data: Data) =>
  entriesIn(data)
    .filter(({ content }) => content !== undefined)
    .map(({ revision }) => revision)
    .sort((left, right) => left - right);

describe('a ConfigMap has', () => {
  it('nine revisions, and what was stored of them', () => {
    const all = Array.from({ length: 12 }, (_, n) => entry(n + 1, { config: { n } }));
    const data = all.reduce<Data>(stored, {});
    expect(keptIn(data)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12]);
    const [found] = entriesIn(data).filter(({ revision }) => revision === 12);
    expect(found).toMatchObject({
      by: 'ada',
      name: 'n',
      hash: 'h12',
      content: { config: { n: 11 } },
    });
  });

  it('the same after a repeated write', () => {
    const once = stored(stored({}, entry(1)), entry(2));
    expect(stored(once, entry(2))).toEqual(once);
  });

  it('fewer contents of large configs, and the lines of the others', () => {
    const data = [1, 2, 3, 4].map((n) => sized(n, 20_000)).reduce<Data>(stored, {});
    expect(keptIn(data)).toEqual([2, 3, 4]);
    expect(entriesIn(data)).toHaveLength(4);
  });

  it('at most 512 KiB, whatever the order of sizes', () => {
    const worst = [262_144, ...[2, 3, 4, 5, 6, 7, 8, 9].reverse().map((n) => 65_000 / n)];
    const orders = [worst, worst.toReversed(), worst.map(() => 262_144), worst.map(() => 7_000)];
    for (const sizes of orders) {
      let data: Data = {};
      for (const [at, size] of [...sizes, ...sizes, ...sizes].entries()) {
        data = stored(data, sized(at + 1, Math.floor(size)));
        expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThan(524_288);
      }
    }
  });

  it('no content beyond the limit, and still its line', () => {
    const data = [sized(1, 10), sized(2, maxContentBytes)].reduce<Data>(stored, {});
    expect(keptIn(data)).toEqual([1]);
    expect(entriesIn(data)).toHaveLength(2);
  });

  it('nothing that has not the form of an entry, or is of another revision', () => {
    const line = JSON.stringify({ revision: 1, hash: 'h', at: null, by: null });
    const content = JSON.stringify({ revision: 10, ...entry(1).content });
    const data = { 'revision-1': line, 'content-1': content, 'revision-2': '{"revision":"x"' };
    const [found, ...more] = entriesIn(data);
    expect(found).toMatchObject({ revision: 1, hash: 'h' });
    expect(found?.content).toBeUndefined();
    expect(more).toEqual([]);
  });
});

type Spec = Resource['spec'];
const specOf = (config: object, more: Partial<Spec> = {}): Spec =>
  ({
    ...{ provider: 'box', resource: 'crate', name: 'a', project: 'p', lifecycle: 'Committed' },
    config,
    ...more,
  }) as Spec;
const resourceOf = (spec: Spec, annotations: Record<string, string> = {}) =>
  ({ metadata: { name: 'r', uid: 'u', annotations }, spec }) as unknown as Resource;
const marked = (existing: Resource | undefined, config: object, subject: string | undefined) => {
  const spec = specOf(config);
  const by = subject === undefined ? undefined : { subject, name: `Name of ${subject}` };
  return resourceOf(spec, markFor(existing, { spec, now, by, secrets: [] }));
};

describe('a mark', () => {
  it('counts the revisions, with time and subject', () => {
    const first = marked(undefined, { n: 1 }, 'ada');
    expect(markOf(first)).toMatchObject({ revision: 1, by: 'ada', at: now.toISOString() });
    expect(shownName('ada', markOf(first).name)).toBe('Name of ada');
    expect(markOf(marked(first, { n: 2 }, 'bob'))).toMatchObject({ revision: 2, by: 'bob' });
  });

  it('stays with tags and retries', () => {
    const { metadata, spec } = marked(undefined, { n: 1 }, 'ada');
    const again = resourceOf({ ...spec, retry: 2, tags: ['x'] }, metadata.annotations);
    expect(markOf(again)).toMatchObject({ revision: 1, by: 'ada' });
  });

  it('does not cover a change with kubectl', () => {
    const { metadata } = marked(undefined, { n: 1 }, 'ada');
    const changed = resourceOf(specOf({ n: 2 }), metadata.annotations);
    expect(markOf(changed)).toEqual({ revision: 2, at: null, by: null });
  });

  it.each([
    ['of a release before', {}],
    ['that is no JSON', { [annotation.revision]: '3 ada' }],
    ['without a number', { [annotation.revision]: '{"revision":1e300,"at":null,"by":null}' }],
  ])('is missing for a resource %s', (_name, annotations) => {
    const found = markOf(resourceOf(specOf({}), annotations));
    expect(found).toEqual({ revision: 1, at: null, by: null });
  });
});

const schema = { type: 'object', properties: { 'p/1': { writeOnly: true } } };

const judged = (spec: Spec, of: JsonObject | undefined) => ({
  spec,
  schemas: configOnly(of),
  secrets: nothingRecorded,
  typeVersion: 1,
});

describe('secrets', () => {
  const spec = specOf({ 'p/1': 'canary', n: 1 });

  it('are not in an entry, and not in its hash', () => {
    const found = historyEntry(markOf(resourceOf(spec)), judged(spec, schema));
    const other = historyEntry(
      markOf(resourceOf(spec)),
      judged(specOf({ 'p/1': 'x', n: 1 }), schema),
    );
    expect(JSON.stringify(found)).not.toContain('canary');
    expect(found.content).toMatchObject({ masked: ['/config/p~11'] });
    expect(found.hash).toBe(other.hash);
  });

  it('are masked when a later schema marks them', () => {
    const found = maskedAgain(
      historyEntry(markOf(resourceOf(spec)), judged(spec, {})),
      configOnly(schema),
    );
    expect(JSON.stringify(found)).not.toContain('canary');
  });

  it('are masked that only an earlier version of the type marks', () => {
    const schemas = typeSchemas({ schema: {}, earlierVersions: [{ schema }] });
    const found = historyEntry(markOf(resourceOf(spec)), { ...judged(spec, {}), schemas });
    expect(JSON.stringify(found)).not.toContain('canary');
  });

  it('are all values while the type is unknown', () => {
    const found = historyEntry(markOf(resourceOf(spec)), judged(spec, undefined));
    expect(found.content).toMatchObject({ config: { 'p/1': null, n: null } });
  });

  it('that changed are found by their paths', () => {
    const after = specOf({ 'p/1': 'another', n: 2 });
    const changed = (to: Spec, of: JsonObject) => changedSecrets(judged(spec, of), judged(to, of));
    expect(changed(after, schema)).toEqual(['/config/p~11']);
    expect(changed(specOf({ 'p/1': 'canary', n: 2 }), schema)).toEqual([]);
    expect(changed(after, {})).toEqual([]);
  });
});

describe('a keeper', () => {
  const organization = { issuer: 'i', id: 'o', namespace: 'fl-o' };
  const unanswered = <T>(_kind: unknown, _object: unknown, options?: { signal?: AbortSignal }) =>
    new Promise<T>((_done, refuse) => {
      options?.signal?.addEventListener('abort', () =>
        refuse(new KubeError({ reason: 'aborted', message: 'late', outcome: 'unknown' })),
      );
    });

  it('gives up a storage that does not answer, and logs what is missing', async () => {
    const lines: unknown[] = [];
    const keeper = createHistoryKeeper({
      client: { create: unanswered, patch: unanswered as never },
      log: { ...silentLog, warn: (fields) => lines.push(fields) },
      definitions: { schemasOf: () => configOnly({}) },
      patienceMs: 20,
    });
    await keeper.keep(organization, resourceOf(specOf({ n: 1 })));
    expect(lines).toMatchObject([{ name: 'r', revision: 1 }]);
  });
});
