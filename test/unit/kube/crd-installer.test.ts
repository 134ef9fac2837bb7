import { expect, it } from 'vitest';
import { isNewerRelease } from '../../../src/kube/crd-installer.ts';

const cases: readonly [left: string, right: string, want: boolean, reason: string][] = [
  ['0.2.0', '0.1.9', true, 'minor counts before patch'],
  ['0.10.0', '0.9.0', true, 'parts are numbers, not text'],
  ['0.1.0', '0.1.0', false, 'the same is not newer'],
  ['0.1.0', '1.0.0', false, 'major counts first'],
  ['1.0.0', '1.0.0-rc.1', true, 'a release follows its previews'],
  ['1.0.0-rc.1', '1.0.0', false, 'a preview precedes its release'],
  ['1.0.0-rc.2', '1.0.0-rc.1', true, 'previews follow one another'],
  ['', '0.1.0', false, 'an installation of unknown release must not stop an update'],
  ['latest', '0.1.0', false, 'text that is no release must not stop an update'],
];

it.each(cases)('whether %j is newer than %j: %j, because %s', (left, right, want) => {
  expect(isNewerRelease(left, right)).toBe(want);
});
