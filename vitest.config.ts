import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { helmsHere } from './packaging/helm.ts';
import { SlowestFirst } from './test/support/runner/durations/slowest-first.ts';

// Inherited by workers and the programs that tests start: each would compile the same modules again.
process.env['NODE_COMPILE_CACHE'] ??= resolve('node_modules/.cache/compiled');

// Thousands of small folders, such as the homes of clients, end with the run: see test/support/runner/folder.ts.
const folders = mkdtempSync(join(tmpdir(), 'fairlead-tests-'));
process.env['TEST_FOLDERS'] = folders;
process.once('exit', () => rmSync(folders, { recursive: true, force: true }));

// In each project, as inline projects inherit nothing.
const setupFiles = ['test/support/runner/warnings.ts'];
const withControlPlane = [...setupFiles, 'test/support/runner/borrow-control-plane.ts'];

// Not part of `npm test`, as they need Helm, or Go to build it with: `npm run test:chart`. Once for each Helm that is here.
const helms = helmsHere();
const chartProjects = (helms.length === 0 ? [undefined] : helms).map(
  (helm, at): TestProjectInlineConfiguration => ({
    test: {
      name: at === 0 ? 'chart' : `chart-${at + 1}`,
      setupFiles: withControlPlane,
      include: ['test/chart/**/*.test.ts'],
      globalSetup: ['test/support/servers/lent/shared-control-plane.ts'],
      env: helm === undefined ? {} : { HELM: helm },
      testTimeout: 120_000,
      hookTimeout: 900_000,
      fileParallelism: false,
      sequence: { groupOrder: 4 + at },
    },
  }),
);

// Each worker has a control plane of its own, which the files of a worker share.
const onSharedControlPlane = {
  setupFiles: [...withControlPlane, 'test/support/runner/forget-objects.ts'],
  globalSetup: ['test/support/servers/lent/shared-control-plane.ts'],
  testTimeout: 120_000,
  hookTimeout: 120_000,
  maxWorkers: 4,
  isolate: false,
};

// Unit tests are pure and run in parallel. After them, four workers run the end-to-end tests, which mostly wait for the processes
// of a whole Fairlead, and the integration tests, whose files share the control plane of their worker. Each file waits for a
// part of its time: with as many workers as cores, the cores would be idle meanwhile.
export default defineConfig({
  test: {
    reporters: [
      'default',
      './test/support/faults/fault-reporter.ts',
      './test/support/runner/summary-reporter.ts',
    ],
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles,
          include: ['test/unit/**/*.test.ts'],
          // More than an awaited condition takes at most, so that this fails first and says what was missing.
          testTimeout: 60_000,
          // The default leaves one of two cores idle.
          maxWorkers: 3,
          // One file after the other in a worker that knows the modules already: loading them took longer than the tests.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...onSharedControlPlane,
          name: 'integration',
          globalSetup: [
            ...onSharedControlPlane.globalSetup,
            'test/support/servers/lent/shared-s3-server.ts',
          ],
          include: ['test/integration/**/*.test.ts'],
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'e2e',
          setupFiles,
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/servers/lent/shared-fairlead-setup.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          maxWorkers: 4,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      // Not part of `npm test`, but of `.ci/run`: browsers, terminals, Python and Postgres in front of a Fairlead, builds with npm,
      // and crashes of whole processes.
      {
        test: {
          name: 'clients',
          setupFiles,
          include: ['test/clients/**/*.test.ts'],
          globalSetup: ['test/support/servers/lent/shared-fairlead-setup.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          maxWorkers: 4,
          isolate: false,
          sequence: { groupOrder: 2 },
        },
      },
      // Not part of `npm test`, but of `.ci/run`: hostile input, also by `npm run test:security`, and faults of the Kubernetes layer, also
      // by `npm run test:faults`.
      {
        test: {
          ...onSharedControlPlane,
          name: 'security',
          include: ['test/security/**/*.test.ts'],
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...onSharedControlPlane,
          name: 'kube-faults',
          include: ['test/faults/kube/**/*.test.ts'],
          sequence: { groupOrder: 2 },
        },
      },
      // Not part of `npm test`: `npm run test:faults`. Each file has a control plane of its own, and mostly waits.
      {
        test: {
          name: 'faults',
          setupFiles,
          include: ['test/faults/**/*.test.ts'],
          exclude: ['test/faults/kube/**'],
          testTimeout: 240_000,
          hookTimeout: 60_000,
          maxWorkers: 3,
          sequence: { groupOrder: 3 },
        },
      },
      ...chartProjects,
      // Not part of `npm test`, as it needs a cluster with nodes: `npm run test:cluster`. Its steps build on each other.
      {
        test: {
          name: 'cluster',
          setupFiles,
          include: ['test/cluster/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          fileParallelism: false,
          sequence: { groupOrder: 4 + chartProjects.length },
        },
      },
      // Not part of `npm test`, as it needs Docker or buildah: `npm run test:image`.
      {
        test: {
          name: 'image',
          setupFiles,
          include: ['test/image/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 900_000,
          sequence: { groupOrder: 5 + chartProjects.length },
        },
      },
    ],
  },
});
