// The worst inputs of what reads whole values.
import {
  identityAt,
  maxIdentityMembers,
  maxPointerLength,
} from '../../../src/domain/objects/identity.ts';
import { digestOf, identityDigest } from '../../../src/domain/objects/identity-digest.ts';
import { identifying } from '../../../src/domain/secrets/identifying.ts';
import { textsIn } from '../../../src/domain/secrets/marks.ts';
import { createSecretMask } from '../../../src/domain/secrets/mask-text.ts';
import { fieldBytes, storedBytes } from '../../../src/domain/stored-size.ts';
import { observedAnswer } from '../../../src/events/observed-answer.ts';
import { canonicalHash } from '../../../src/lib/canonical-hash.ts';
import { inexactNumberIn } from '../../../src/lib/inexact-number.ts';
import { atPointer, canonicalJson, type JsonObject } from '../../../src/lib/json.ts';
import { differencesWithin } from '../../../src/lib/json-differences.ts';
import { nearest } from '../../../src/lib/nearest.ts';
import { items, members, nested, times, tree, valueBytes } from './hostile-values.ts';
import { type WorstInput, worst } from './row.ts';

const objects: Readonly<Record<string, () => JsonObject>> = {
  'as many numbers as fit': () => members(() => 1),
  'as many objects as fit': () => tree(['a', 'b']),
  'a deep list': () => nested(items(() => 1)),
  'a long name': () => ({ [`${'a'.repeat(valueBytes - 20)}_`]: '' }),
  'a long text': () => ({ name: '<\ud800\u2028'.repeat(valueBytes / 12) }),
};

/** The most that a type may declare. */
function pointers(path: string): Record<string, string> {
  return Object.fromEntries(times(maxIdentityMembers, (at) => [`m${at}`, path]));
}

export const valueInputs: readonly WorstInput[] = [
  ...Object.entries(objects).flatMap(([input, object]) => [
    worst('domain/secrets/identifying identifying', input, () => [object()], identifying),
    worst(
      'domain/secrets/marks textsIn',
      input,
      () => [object()],
      (each) => [...textsIn(each)],
    ),
    worst('domain/stored-size fieldBytes', input, () => [object()], fieldBytes),
    worst('domain/stored-size storedBytes', input, () => [object()], storedBytes),
    worst('lib/inexact-number inexactNumberIn', input, () => [object()], inexactNumberIn),
    worst('lib/json canonicalJson', input, () => [object()], canonicalJson),
    worst(
      'lib/json-differences differencesWithin',
      input,
      () => [object(), object()],
      (before, after) => [...differencesWithin(before, after)],
    ),
    worst('lib/canonical-hash canonicalHash', input, () => [object()], canonicalHash),
    worst('domain/objects/identity-digest digestOf', input, () => [object()], digestOf),
    worst(
      'events/observed-answer observedAnswer',
      input,
      () => [200, { exists: true, config: object(), outputs: {} }],
      observedAnswer,
    ),
  ]),
  worst(
    'domain/objects/identity identityAt',
    'pointers as many and as long as they may be',
    () => [pointers('/a'.repeat(maxPointerLength / 2)), nested(1)],
    identityAt,
  ),
  worst(
    'domain/objects/identity-digest identityDigest',
    'one long text for each member',
    () => [pointers('/name'), { name: 'a'.repeat(valueBytes) }],
    identityDigest,
  ),
  worst(
    'lib/json atPointer',
    'as deep as it is long',
    () => [nested(1), '/a'.repeat(valueBytes / 2)],
    atPointer,
  ),
  worst(
    'lib/nearest nearest',
    'a long name',
    () => ['b'.repeat(60_000), ['a'.repeat(60_000)]],
    nearest,
  ),
  worst(
    'lib/nearest nearest',
    'many names',
    () => ['b'.repeat(60), times(1_000, (at) => 'a'.repeat(58) + at)],
    nearest,
  ),
  worst(
    'domain/secrets/mask-text createSecretMask',
    'as many secrets as fit',
    () => [secrets('aa'), valueBytes],
    maskTexts,
  ),
  worst(
    'domain/secrets/mask-text createSecretMask',
    'as many as are looked for, of many spellings',
    () => [times(4_000, (at) => `${'"\n'.repeat(4)}${at}`), valueBytes],
    maskTexts,
  ),
  worst(
    'domain/secrets/mask-text createSecretMask',
    'as many as are looked for, in the texts of a drift and a log',
    () => [times(4_000, (at) => `secret-${at}`), times(150, () => 'secret-secret-'.repeat(73))],
    (all, texts) => {
      const mask = createSecretMask(all);
      return texts.map((each) => mask.text(each));
    },
  ),
  worst(
    'domain/secrets/mask-text createSecretMask',
    'secrets that are escaped throughout',
    () => [['"\ud83d\udd11 \n'.repeat(valueBytes / 8)], valueBytes],
    maskTexts,
  ),
  worst(
    'domain/secrets/mask-text createSecretMask',
    'a secret that is nearly everywhere',
    () => [[`${'a'.repeat(50_000)}b`], valueBytes],
    maskTexts,
  ),
];

function secrets(prefix: string): readonly string[] {
  return items((at) => `${prefix}${at.toString(36)}`);
}

function maskTexts(all: readonly string[], length: number): string {
  return createSecretMask(all).text('a'.repeat(length));
}
