import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { filesWithVersion, withVersion } from '../../../packaging/version.ts';

const root = join(import.meta.dirname, '../../..');
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');

describe('the version', () => {
  it.each(filesWithVersion)('in %s is that of package.json', (file) => {
    const text = textOf(file);
    expect(withVersion(file, text, manifest.version)).toBe(text);
    expect(withVersion(file, text, '9.8.7-rc.1')).toContain('9.8.7-rc.1');
  });

  it('in the plain manifests is that of package.json', () => {
    const versions = textOf('manifests/workloads.yaml').match(
      /(?<=app\.kubernetes\.io\/version: |: fairlead:)\S+/g,
    );
    expect(new Set(versions)).toEqual(new Set([manifest.version]));
  });

  it('is written only where a version stands', () => {
    const chart = 'version: 1.2.3\nappVersion: 1.2.3-dev\ndependencies: { version: 1.2.3 }\n';
    expect(withVersion('charts/fairlead/Chart.yaml', chart, '2.0.0')).toBe(
      'version: 2.0.0\nappVersion: 2.0.0\ndependencies: { version: 1.2.3 }\n',
    );
    const page = 'fairlead:1.2.3-dev and ./fairlead-chart-1.2.3-rc.1.tgz';
    const rewritten = 'fairlead:2.0.0 and ./fairlead-chart-2.0.0.tgz';
    expect(withVersion('docs/install.md', page, '2.0.0')).toBe(rewritten);
    expect(() => withVersion('Dockerfile', 'ARG VERSION\n', '2.0.0')).toThrow('Dockerfile has no');
  });
});
