import { expect, it } from 'vitest';
import { presentPushed } from '../../../../src/http/response/provider.ts';
import type { BuildRecord } from '../../../../src/store/builds/store.ts';

const build = (phase: BuildRecord['phase'], version = '20260131.120000') =>
  ({ provider: 'box', version, phase, createdAt: '2026-01-31T12:00:00.000Z' }) as BuildRecord;

it.each([
  ['pending', 'pending', 'The build of version 20260131.120000 waits; no version was deployed'],
  ['building', 'pending', 'Version 20260131.120000 is being built; no version was deployed'],
  ['success', 'pending', 'Version 20260131.120000 is built; no version was deployed'],
  // It stays in the list: its build shows what was wrong.
  ['failed', 'failed', 'The build of version 20260131.120000 failed; no version was deployed'],
] as const)('shows a provider whose newest build is %s as %s', (phase, status, message) => {
  const older = build('failed', '20260130.120000');
  expect(presentPushed([build(phase), older])).toMatchObject({ status, message, version: null });
});
