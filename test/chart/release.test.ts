// The chart of a release, as Helm reads it.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { kubernetesVersion, render } from '../../packaging/helm.ts';
import { makeRelease, releaseFiles } from '../../packaging/release/files.ts';
import { newFolder } from '../support/runner/folder.ts';
import { requireHelm } from '../support/tools/chart.ts';

it('renders as the folder of the chart does', async () => {
  const helm = await requireHelm();
  const folder = newFolder('release-');
  await makeRelease(folder, { commit: '0'.repeat(40), committedAt: new Date(0) });
  const chart = join(folder, releaseFiles(manifest.version).chart);
  const release = ['fairlead', chart, '--namespace', 'fairlead-system'];
  const rendered = await helm('template', ...release, '--kube-version', kubernetesVersion);
  expect(rendered).toBe(await render(helm));
  expect(await helm('show', 'chart', chart)).toContain(`version: ${manifest.version}`);
});
