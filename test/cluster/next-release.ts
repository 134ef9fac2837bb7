// A release is followed by the next one, and taken back, while resources are ready and under way.
import { expect, it } from 'vitest';
import { systemNamespace } from '../support/cluster/installation.ts';
import { newField, nextVersion, packages } from '../support/cluster/packages.ts';
import { becomes, type Call, calls, declare } from '../support/cluster/provider-code.ts';
import type { Stage } from '../support/cluster/stage.ts';
import { kept } from './kept.ts';

const system = ['--namespace', systemNamespace];

export function nextRelease(stage: Stage): void {
  it('takes a release with more in its definitions, and loses, repeats and rotates nothing', async () => {
    const { at, north, report } = stage;
    await using charts = await packages(at);
    await at.releaseOf(charts.present, 'upgrade');
    const before = await kept(stage);
    const asked = await calls(at, north);
    // Five seconds with its provider: the leader that asks goes meanwhile.
    await declare(north, 'many-upgrade');
    await becomes(north, 'many-upgrade', 'processing');
    const begun = performance.now();
    const values = 'logLevel=debug,events.maxAttempts=4';
    await at.releaseOf(charts.next, 'upgrade', '--set', values);
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    report.fact('To the next release, one pod after the other', `${seconds} s`);
    const { outputs } = await becomes(north, 'many-upgrade', 'ready');
    expect(await kept(stage, 'many-upgrade')).toEqual(before);
    const more = (await calls(at, north)).slice(asked.length);
    expect(more.map(callText)).toEqual(more.map(() => `create many-upgrade ${outputs.key}`));
    expect(more.length).toBeGreaterThan(0);
    expect(await attempts(stage)).toBe('4');
    expect(await hasField(stage)).toBe(true);
    const listed = await at.helm('list', ...system, '-o', 'json');
    expect(JSON.parse(listed)).toMatchObject([{ chart: `fairlead-${nextVersion}` }]);
    await at.reachable();
    await declare(north, 'after-upgrade');
    await becomes(north, 'after-upgrade', 'ready');
  });

  it('goes back to the release before, and loses nothing either', async () => {
    const { at, north } = stage;
    const before = await kept(stage);
    const asked = await calls(at, north);
    await at.helm('rollback', 'fairlead', ...system, '--wait', '--timeout', '5m');
    expect(await kept(stage)).toEqual(before);
    expect((await calls(at, north)).slice(asked.length)).toEqual([]);
    expect(await attempts(stage)).toBe('8');
    expect(await hasField(stage)).toBe(false);
    await at.reachable();
    await declare(north, 'after-rollback');
    await becomes(north, 'after-rollback', 'ready');
  });
}

function callText({ message, crate, key }: Call): string {
  return `${message} ${crate} ${key}`;
}

async function hasField({ at }: Stage): Promise<boolean> {
  const path = '{.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties}';
  const properties = await at.read(path, 'crd', 'resources.fairlead.dev');
  return Object.hasOwn(JSON.parse(properties) as object, newField.name);
}

function attempts({ at }: Stage): Promise<string> {
  const value = 'FAIRLEAD_MAX_ATTEMPTS';
  const path = `{.spec.template.spec.containers[0].env[?(@.name=="${value}")].value}`;
  return at.read(path, 'deployment', 'fairlead-controller', ...system);
}
