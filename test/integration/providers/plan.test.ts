// PLAN in the process of a pod: its supervisor passes it to a child, whatever the rules of the author do.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PlanMemberBody } from '../../../src/domain/event.ts';
import type { ProviderReply } from '../../../src/domain/providers/provider-request.ts';
import { replyIn, requestBody, requestHeaders } from '../../../src/events/requests.ts';
import { shopCode, shopManifest } from '../../support/fixtures/code/package-folder.ts';
import { eventually } from '../../support/runner/eventually.ts';
import {
  type ProviderProcesses,
  providerProcesses,
  served,
} from '../../support/servers/provider-process.ts';

const code = shopCode
  .replace('{ provider, z }', '{ provider, refuse, replace, z }')
  .replace(
    "provider('shop')",
    "provider('shop', { blockedLimitSeconds: 2, start: () => ({ most: 10 }) })",
  )
  .replace(
    'delete: () => undefined,',
    `delete: () => undefined,
  async plan({ config, previous, beside, name, most }) {
    if (name === 'endless') await new Promise(() => {});
    if (name === 'blocking') for (;;);
    if (name === 'broken') throw new TypeError('Boom');
    if (name === 'ending') process.exit(3);
    if (config.color === 'blue' && config.size > most) return refuse('/color', 'No blue one is that large');
    if (previous !== null && config.color !== previous.color) return replace('/color');
    return beside.length > 2 ? refuse('', 'The account is full') : { url: 'cart://' + name };
  },`,
  );

let processes: ProviderProcesses;
let url: string;
let printed: () => string;

beforeAll(async () => {
  processes = await providerProcesses();
  const started = await processes.start({ 'package.json': shopManifest, 'index.ts': code });
  ({ printed } = started);
  url = await served(started);
});

afterAll(() => processes?.[Symbol.asyncDispose]());

const member: PlanMemberBody = {
  ...{ project_id: 'default', name: 'mine', config: { size: 3 }, schema_version: 1, unknown: [] },
  ...{ previous_config: null, previous_schema_version: null },
  ...{ outputs: {}, outputs_schema_version: 1 },
};

async function plan(...members: Partial<PlanMemberBody>[]): Promise<ProviderReply> {
  const now = new Date();
  const all = members.map((each) => ({ ...member, ...each }));
  const request = { event_type: 'PLAN', provider: 'shop', resource: 'cart', members: all } as const;
  const asked = { id: 'req-1', organizationId: 'acme', request };
  const body = JSON.stringify(requestBody(asked));
  const signed = { id: asked.id, organizationId: 'acme', provider: 'shop' };
  const authorization = `Bearer ${processes.fairlead.signer.sign(signed, body)}`;
  const headers = { ...requestHeaders(asked, now), authorization };
  const answer = await fetch(url, { method: 'POST', headers, body });
  const raw = {
    status: answer.status,
    retryAfter: undefined,
    body: new Uint8Array(await answer.arrayBuffer()),
  };
  return await replyIn(raw, 'PLAN', now);
}

const done = (...members: object[]) => ({ kind: 'done', body: { members } });

it('refuses two fields together, and says what is replaced and known', async () => {
  const changed = { previous_config: { size: 3, color: 'red' }, previous_schema_version: 1 };
  expect(
    await plan(
      { config: { size: 11, color: 'blue' } },
      { name: 'other', config: { size: 3, color: 'blue' }, ...changed },
      { name: 'fine' },
    ),
  ).toEqual(
    done(
      { refuse: [{ path: '/color', message: 'No blue one is that large' }] },
      { replace: ['/color'] },
      { outputs: { url: 'cart://fine' } },
    ),
  );
});

it('sees what one request plans together', async () => {
  const refused = { refuse: [{ path: '', message: 'The account is full' }] };
  expect(await plan({}, { name: 'b' }, { name: 'c' }, { name: 'd' })).toEqual(
    done(refused, refused, refused, refused),
  );
});

it('says which rules failed, and answers for the others', async () => {
  expect(await plan({ name: 'broken' }, { name: 'endless' })).toEqual(
    done({ error: 'Boom' }, { error: 'plan has not ended within 2 s' }),
  );
  await eventually(() => expect(printed()).toContain('plan failed; the config is accepted'));
});

it('survives rules that end the process, or never end', async () => {
  expect(await plan({ name: 'ending' })).toMatchObject({ kind: 'unavailable', code: 'crashed' });
  await eventually(async () => expect(await plan({})).toMatchObject({ kind: 'done' }));
  expect(await plan({ name: 'blocking' })).toMatchObject({ kind: 'unavailable' });
  await eventually(async () => expect(await plan({})).toMatchObject({ kind: 'done' }));
});
