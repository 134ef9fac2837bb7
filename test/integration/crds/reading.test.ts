// The definitions on a real API server: what kubectl shows, finds and explains.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aResource, benchIn, type Fixture } from '../../support/fixtures/kubectl-fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await benchIn('crd-reading');
});
afterAll(() => fixture?.close());

describe('printed output', () => {
  it('lists resources with their own columns', async () => {
    const plain = aResource({ name: 'listed', project: 'p-9' });
    const annotations = { 'fairlead.dev/applied-by': 'ada@example.com' };
    const body = { ...plain, metadata: { ...plain.metadata, annotations } };
    await fixture.apply(body);
    const at = '2026-01-01T00:00:00Z';
    const condition = { reason: 'Processed', lastTransitionTime: at, message: 'All is well' };
    const status = {
      state: 'ready',
      reason: 'Processed',
      observedGeneration: 1,
      providerVersion: '20260131.115500',
      conditions: [{ type: 'Ready', status: 'True', ...condition }],
    };
    await fixture.patch(body, { status }, 'status');

    const only = ['--field-selector', 'spec.name=listed'];
    const [head, row] = (await fixture.kubectl('get', 'flr', ...only, '-o', 'wide')).split('\n');
    expect(head?.split(/\s{2,}/).map((word) => word.trim())).toEqual(
      'NAME PROVIDER TYPE RESOURCE STATE READY REASON DRIFT AGE PROJECT VERSION APPLIED-BY PROTECTED EXPIRES MANAGEMENT ATTEMPT MESSAGE'.split(
        ' ',
      ),
    );
    expect(row).toMatch(/postgres +database +listed +ready +True +Processed .*p-9 /);
    expect(row).toMatch(/ 20260131\.115500 +ada@example\.com .*All is well/);
    expect(await fixture.kubectl('get', 'fairlead')).toContain('resource.fairlead.dev');
    await fixture.kubectl('wait', `flr/${body.metadata.name}`, '--for=condition=Ready');
  });

  const selectors: readonly [kind: string, selector: string][] = [
    [
      'resources',
      'spec.provider=postgres,spec.resource=database,spec.project=p,status.state=ready',
    ],
    ['resourcedefinitions', 'spec.provider=postgres,spec.resource=database'],
    ['providers', 'spec.provider=postgres'],
    ['projects', 'spec.projectId=p-1'],
    ['builds', 'spec.provider=postgres,spec.version=20260101.000000'],
    ['organizations', 'spec.externalId=acme'],
  ];

  it.each(selectors)('selects %s by %s', async (kind, selector) => {
    await fixture.kubectl('get', `${kind}.fairlead.dev`, '-A', '--field-selector', selector);
  });

  const explained: readonly [path: string, sentence: string][] = [
    ['resources.fairlead.dev', 'An object that an organization declares'],
    [
      'resources.fairlead.dev.spec.lifecycle',
      'a Committed resource is validated and sent to its provider',
    ],
    [
      'resources.fairlead.dev.status.conditions.reason',
      'Reason for the status, as a CamelCase identifier',
    ],
    ['organizations.fairlead.dev.status', 'Only Fairlead writes it.'],
  ];

  it.each(explained)('explains %s', async (path, sentence) => {
    const text = (await fixture.kubectl('explain', path)).replace(/\s+/g, ' ');
    expect(text).toContain(sentence);
  });
});
