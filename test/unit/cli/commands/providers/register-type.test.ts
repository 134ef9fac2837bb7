// `fairlead type register`: what it sends, and what it says of resources that no longer fit.
import { beforeEach, describe, expect, it } from 'vitest';
import { startAnswering } from '../../../../support/clients/answering.ts';
import { runClient } from '../../../../support/clients/client.ts';

interface Sent {
  readonly query: string;
  readonly body: Readonly<Record<string, unknown>>;
}
type Given = { readonly status?: number; readonly plan?: string; readonly body: object };

let url: string;
let sent: Sent[];
let respond: (sent: Sent) => Given;

beforeEach(async () => {
  sent = [];
  const started = await startAnswering(({ path, body: registered }) => {
    const { pathname, search } = new URL(path, 'http://api.invalid');
    if (pathname !== '/resources/register') return undefined;
    const asked = { query: search, body: registered };
    sent.push(asked);
    const { status = 200, plan, body } = respond(asked);
    return { status, body, headers: plan === undefined ? {} : { 'fairlead-plan': plan } };
  });
  url = started.url;
  return started.stop;
});

const type = (resource: string) => ({ provider: 'box', resource, description: '', schema: {} });
const lid = { ...type('lid'), created_at: '2026-01-31T12:00:00.000Z' };
const input = ['lid', 'crate'].map((each) => JSON.stringify(type(each))).join('\n---\n');

async function register(words = '') {
  const variables = { FAIRLEAD_TOKEN: 'secret', FAIRLEAD_URL: url, NO_COLOR: '1' };
  const args = `type register -f - ${words}`.trim().split(' ');
  return await runClient(args, { variables, input });
}

/** Resources of the first type do not fit its schema. */
function breaking({ query, body }: Sent): Given {
  const isLid = body['resource'] === 'lid';
  const record = { ...lid, resource: body['resource'] };
  if (!query.includes('dry_run')) return { body: record };
  if (isLid && query.includes('strict')) {
    const detail = '1 of 2 resources does not fit the schema of box/lid: resource:box_lid_a (size)';
    return { status: 409, body: { detail, code: 'schemas_break', help: 'No.' } };
  }
  const found = isLid ? ['resource:box_lid_a'] : [];
  const more = { incompatible_count: found.length, incompatible_resources: found };
  return { plan: isLid ? 'update' : 'none', body: { ...record, ...more } };
}

const warning = '1 resource does not fit the registration of box/lid: box_lid_a';

describe('[A22]', () => {
  it('--dry-run asks the server, and names the resources that would not fit', async () => {
    respond = breaking;
    const { code, stdout, stderr } = await register('--dry-run');
    expect([code, stdout]).toEqual([
      0,
      'TYPE       CHANGE\nbox/lid    update\nbox/crate  unchanged\n',
    ]);
    expect(stderr).toContain(warning);
    expect(stderr).toContain('Nothing was registered.');
    expect(sent.map(({ query }) => query)).toEqual(['?dry_run=true', '?dry_run=true']);
  });

  it('--strict registers none of the types when one breaks resources', async () => {
    respond = breaking;
    const { code, stderr } = await register('--strict');
    expect(code).toBe(6);
    expect(stderr).toContain('does not fit the schema of box/lid: resource:box_lid_a (size).');
    expect(stderr).toContain('Nothing was registered (2 documents were checked).');
    expect(stderr).toContain('run it without --strict');
    expect(sent.every(({ query }) => query === '?dry_run=true&strict=true')).toBe(true);
  });

  it('warns, and registers what is not strict', async () => {
    respond = breaking;
    const { code, stdout, stderr } = await register('-o name');
    expect([code, stdout]).toEqual([0, 'box/lid\nbox/crate\n']);
    expect(stderr).toContain(warning);
    const written = sent.slice(2);
    expect(written.map(({ query }) => query)).toEqual(['', '']);
    expect(written[0]?.body).toEqual(type('lid'));
  });
});
