// The options of a resource: what a request may set, how they are stored, and what a revision has of them.
import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import { InvalidRequest } from '../../../../src/domain/errors.ts';
import {
  defaultOptions,
  type GivenOptions,
  type ResourceOptions,
  resourceOptionFields,
  resourceOptionsIn,
  type WantedOptions,
} from '../../../../src/domain/resource-options.ts';
import { bodyOf, valuesIn } from '../../../../src/lib/fields.ts';
import { contentHashOf, declaredHashOf } from '../../../../src/store/resources/content.ts';
import {
  hasSameOptions,
  optionsOf,
  requireValidOptions,
  revisionHashOf,
  withOptions,
} from '../../../../src/store/resources/options.ts';
import { aResource, now, secondsLater } from '../../../support/fixtures/builders.ts';

type Spec = Resource['spec'];
const past = secondsLater(-1).toISOString();
const later = secondsLater(3_600).toISOString();
const evenLater = secondsLater(7_200).toISOString();
const specOf = (options: Partial<Spec> = {}): Spec => aResource({ spec: options }).spec;
const expiring = specOf({ expiresAt: later });
const expired = specOf({ expiresAt: past });
const kept = specOf({ protected: true });
const member = specOf({ set: 'shop' });
const notJoined =
  'A resource joins a set by PUT /sets/{set}; omit set, or send null to leave its set';

interface Case {
  readonly reason: string;
  readonly existing: Spec | undefined;
  readonly wanted: WantedOptions;
  readonly ofSet?: string;
  /** The field and the sentence of the refusal; undefined: permitted. */
  readonly want?: readonly [field: string, sentence: string];
}

const cases: Readonly<Record<string, Case>> = {
  'no options': { reason: 'All are optional.', existing: undefined, wanted: {} },
  'a time in the future': {
    reason: 'The usual case.',
    existing: undefined,
    wanted: { expiresAt: later },
  },
  'a time in the past': {
    reason: 'It would be deleted at once, which a DELETE says more clearly.',
    existing: undefined,
    wanted: { expiresAt: past },
    want: ['expires_at', `Input should be a time in the future; it is ${now.toISOString()} now`],
  },
  'the present moment': {
    reason: 'It is over when the answer arrives.',
    existing: undefined,
    wanted: { expiresAt: now.toISOString() },
    want: ['expires_at', `Input should be a time in the future; it is ${now.toISOString()} now`],
  },
  'a time in the past in place of a later one': {
    reason: 'That it expires anyway excuses nothing.',
    existing: expiring,
    wanted: { expiresAt: past },
    want: ['expires_at', `Input should be a time in the future; it is ${now.toISOString()} now`],
  },
  'the stored time that has passed': {
    reason: 'A record that is sent back unchanged is no error.',
    existing: expired,
    wanted: { protected: false, expiresAt: past, paused: false, deletionPolicy: 'delete' },
  },
  'another option of what has expired': {
    reason: 'It may be in deletion only a moment later, or in a suspended organization.',
    existing: expired,
    wanted: { paused: true },
  },
  'no expiry in place of one that has passed': {
    reason: 'That is how somebody keeps it.',
    existing: expired,
    wanted: { expiresAt: null },
  },
  'protection of what expires': {
    reason: 'The request does not know of the time, so the answer names it.',
    existing: expiring,
    wanted: { protected: true },
    want: [
      'protected',
      `A resource that expires cannot be protected, and this one expires at ${later}; send expires_at: null as well, or drop protected`,
    ],
  },
  'protection of what expires, with its time': {
    reason: 'To leave the stored time out would keep it: only null removes it.',
    existing: expiring,
    wanted: { protected: true, expiresAt: later },
    want: [
      'protected',
      `A resource that expires cannot be protected, and this one expires at ${later}; send expires_at: null as well, or drop protected`,
    ],
  },
  'protection in place of the expiry': {
    reason: 'That is what the sentence says to send.',
    existing: expiring,
    wanted: { protected: true, expiresAt: null },
  },
  'a time for what is protected': {
    reason: 'Leaving protected out of a file lifts nothing.',
    existing: kept,
    wanted: { expiresAt: later },
    want: [
      'expires_at',
      'A protected resource cannot expire; send protected: false as well, or drop expires_at',
    ],
  },
  'a time in place of the protection': {
    reason: 'That is what the sentence says to send.',
    existing: kept,
    wanted: { protected: false, expiresAt: later },
  },
  'both at once for a new resource': {
    reason: 'One of them would be without effect.',
    existing: undefined,
    wanted: { protected: true, expiresAt: later },
    want: [
      'expires_at',
      'A protected resource cannot expire; send protected: false as well, or drop expires_at',
    ],
  },
  'its own set': {
    reason: 'A record that is sent back has it.',
    existing: member,
    wanted: { set: 'shop' },
  },
  'no set': { reason: 'A single resource leaves so.', existing: member, wanted: { set: null } },
  'another set': {
    reason: 'The request of that set decides who is a member of it.',
    existing: member,
    wanted: { set: 'stock' },
    want: ['set', notJoined],
  },
  'a set that it is not in': {
    reason: 'Its next request would delete what nobody told it of.',
    existing: specOf(),
    wanted: { set: 'shop' },
    want: ['set', notJoined],
  },
  'a set for a new resource': {
    reason: 'As for one that exists.',
    existing: undefined,
    wanted: { set: 'shop' },
    want: ['set', notJoined],
  },
  'a set by the request of that set': {
    reason: 'So a resource joins.',
    existing: specOf(),
    wanted: { set: 'shop' },
    ofSet: 'shop',
  },
};

const wantedOptionsIn = (body: GivenOptions) => valuesIn(resourceOptionFields, body);
const resourceOptionsBody = (options: ResourceOptions) => bodyOf(resourceOptionFields, options);

describe('a request for', () => {
  it.each(Object.entries(cases))('%s', (_name, { reason, existing, wanted, want, ...of }) => {
    const next = withOptions(existing ?? specOf(), wanted);
    const asking = () => requireValidOptions(existing, next, { wanted, now, ...of });
    if (want === undefined) {
      expect(asking, reason).not.toThrow();
      return;
    }
    const [field, msg] = want;
    const input = wanted[field === 'expires_at' ? 'expiresAt' : (field as keyof WantedOptions)];
    const violation = { loc: ['body', field], msg, type: 'value_error', input };
    expect(asking, reason).toThrow(
      expect.toSatisfy(
        (thrown) =>
          thrown instanceof InvalidRequest &&
          JSON.stringify(thrown.violations) === JSON.stringify([violation]),
      ),
    );
  });
});

describe('a spec', () => {
  it('keeps what a request leaves out, and stores no default', () => {
    const all = { protected: true, paused: true, deletionPolicy: 'Orphan' } as const;
    const before = specOf(all);
    expect(withOptions(before, {})).toEqual(before);
    expect(withOptions(before, wantedOptionsIn({}))).toEqual(before);
    const lifted = { protected: false, paused: false, deletionPolicy: 'delete' } as const;
    expect(withOptions(before, lifted)).toEqual(specOf());
    expect(withOptions(expiring, { expiresAt: null })).toEqual(specOf());
    expect(withOptions(specOf(), { expiresAt: evenLater, deletionPolicy: 'orphan' })).toEqual(
      specOf({ expiresAt: evenLater, deletionPolicy: 'Orphan' }),
    );
  });

  it('is read with the defaults, and with the time as UTC', () => {
    expect(optionsOf(specOf())).toEqual(defaultOptions);
    const inZone = specOf({ expiresAt: '2026-01-01T02:00:00+01:00' });
    expect(optionsOf(inZone).expiresAt).toBe('2026-01-01T01:00:00.000Z');
    expect(hasSameOptions(inZone, expiring), 'the same moment').toBe(true);
    expect(hasSameOptions(inZone, specOf({ expiresAt: evenLater }))).toBe(false);
    expect(optionsOf(specOf({ expiresAt: 'soon' })).expiresAt, 'as it is').toBe('soon');
  });

  it('of a record that is sent back stays the same', () => {
    const later: readonly Partial<Spec>[] = [
      { deletionPolicy: 'Orphan' },
      { observe: { every: '10m', ignore: ['/tags'], onDrift: 'Correct' } },
      { management: 'Observed' },
      { adopt: { id: '7' } },
      { adopt: { id: '7' }, deletionPolicy: 'Delete' },
    ];
    for (const spec of [specOf(), expired, kept, ...later.map(specOf)]) {
      const body = resourceOptionsBody(optionsOf(spec));
      expect(hasSameOptions(spec, withOptions(spec, wantedOptionsIn(body)))).toBe(true);
    }
  });

  it('has an option reset by null', () => {
    const wanted = wantedOptionsIn({ expires_at: null, observe: null });
    expect(wanted).toEqual({ expiresAt: null, observe: defaultOptions.observe });
    expect(withOptions(specOf({ observe: { every: '10m' } }), wanted)).toEqual(specOf());
  });
});

describe('the hash of a revision', () => {
  const changes: readonly Partial<Spec>[] = [
    { protected: true },
    { expiresAt: later },
    { expiresAt: evenLater },
    { paused: true },
    { deletionPolicy: 'Orphan' },
    { observe: { every: 'never' } },
    { observe: { ignore: ['/tags'] } },
    { observe: { onDrift: 'Correct' } },
    { management: 'Observed' },
    { set: 'shop' },
  ];

  it('is that of the content without options, so that marks of before stay valid', () => {
    expect(revisionHashOf(specOf())).toBe(declaredHashOf(specOf()));
    const spelled = specOf({
      ...{ protected: false, paused: false, deletionPolicy: 'Delete' },
      ...{ observe: { onDrift: 'Report' }, management: 'Managed' },
    });
    expect(revisionHashOf(spelled)).toBe(declaredHashOf(specOf()));
  });

  it('differs for all options, while that of the content does not: no event follows', () => {
    const hashes = [{}, ...changes].map((each) => revisionHashOf(specOf(each)));
    expect(new Set(hashes).size).toBe(hashes.length);
    for (const each of changes) expect(contentHashOf(specOf(each))).toBe(contentHashOf(specOf()));
  });

  it('differs for another content with the same options', () => {
    const other = specOf({ protected: true, config: { name: 'other' } });
    expect(revisionHashOf(other)).not.toBe(revisionHashOf(kept));
  });
});

it.each([
  [true, { protected: true, expiresAt: null, paused: false, deletionPolicy: 'delete' }],
  [true, { protected: false, expiresAt: later, paused: true, deletionPolicy: 'orphan' }],
  [false, null],
  [false, 'protected'],
  [true, {}],
  [true, { protected: true, paused: false, deletionPolicy: 'delete' }],
  [true, { observe: { every: '10m', ignore: ['/tags'], onDrift: 'correct' } }],
  [true, { management: 'observed' }],
  [false, { management: 'Observed' }],
  [true, { set: 'shop' }],
  [false, { set: ['shop'] }],
  [false, { observe: { every: 10, ignore: [], onDrift: 'report' } }],
  [false, { observe: { every: null, ignore: '/tags', onDrift: 'report' } }],
  [false, { observe: { every: null, ignore: [], onDrift: 'Report' } }],
  [false, { protected: 'yes', expiresAt: null, paused: false, deletionPolicy: 'delete' }],
  [false, { protected: true, expiresAt: 1, paused: false, deletionPolicy: 'delete' }],
  [false, { protected: true, expiresAt: null, paused: false, deletionPolicy: 'Orphan' }],
])(
  'what somebody else may have written counts as options only in their form: %s %j',
  (is, value) => {
    expect(resourceOptionsIn(value) !== undefined).toBe(is);
  },
);
