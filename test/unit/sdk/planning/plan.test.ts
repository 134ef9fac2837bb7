// The answers to a PLAN: what `plan` receives, and what its results mean.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { PlanBody, PlanMemberBody, PlannedBody } from '../../../../src/domain/event.ts';
import {
  from,
  type HandlerLog,
  type PlanCall,
  provider,
  refuse,
  replace,
  z,
} from '../../../../src/sdk/index.ts';
import { answerRequest, requestMask } from '../../../../src/sdk/serve/requests.ts';

const quiet: HandlerLog = { debug() {}, info() {}, warn() {}, error() {} };
type Plan = (call: PlanCall<never, never>) => unknown;

const Config = z.object({
  size: z.int().default(1),
  zone: z.string().default('a'),
  token: z.string().meta({ sensitive: true }).optional(),
});
const Outputs = z.object({ url: z.string(), port: z.int() });

const member: PlanMemberBody = {
  ...{ project_id: 'shop', name: 'orders', config: { size: 2 }, schema_version: 1, unknown: [] },
  ...{ previous_config: null, previous_schema_version: null },
  ...{ outputs: {}, outputs_schema_version: 1 },
};
const grown = {
  ...{ previous_config: { size: 1 }, previous_schema_version: 1 },
  ...{ outputs: { url: 'u', port: 1 } },
};

function carts(plan: Plan | undefined, more: object = {}) {
  const shop = provider('shop');
  const cart = shop.resource('cart', {
    ...{ description: 'A cart', config: Config, outputs: Outputs },
    ...{ create: () => ({ url: '', port: 1 }), update: () => ({ url: '', port: 1 }) },
    delete: () => undefined,
    ...(plan === undefined ? {} : { plan: plan as never }),
    ...more,
  });
  return shop.types(cart);
}

async function run(
  plan: Plan | undefined,
  members: readonly Partial<PlanMemberBody>[] = [{}],
  more: { log?: HandlerLog; type?: object } = {},
) {
  const body: PlanBody = {
    ...{ event_id: 'req-1', event_type: 'PLAN', organization_id: 'acme', provider: 'shop' },
    ...{ resource: 'cart', members: members.map((each) => ({ ...member, ...each })) },
  };
  const made = carts(plan, more.type);
  const { signal } = new AbortController();
  const mask = requestMask(made, body, []);
  const { log = quiet } = more;
  return await answerRequest(made, body, {
    ...{ given: {}, settings: { region: 'eu' }, started: { cloud: 'a cloud' }, log, signal },
    ...{ codeFolder: '/code', shown: mask.text },
  });
}

async function planned(plan: Plan, members?: readonly Partial<PlanMemberBody>[], type?: object) {
  const { status, body } = await run(plan, members, type === undefined ? {} : { type });
  expect(status).toBe(200);
  return (body as PlannedBody).members;
}

it('passes the values of a handler, and what else the request plans', async () => {
  const calls: PlanCall<unknown, unknown>[] = [];
  let aborted: boolean | undefined;
  const plan: Plan = (call) => {
    aborted = call.signal.aborted;
    calls.push(call);
  };
  await planned(plan, [{}, { name: 'other', ...grown }]);
  const { signal, log, beside, ...rest } = calls[1] as PlanCall<unknown, unknown>;
  expect(rest).toEqual({
    ...{ organization: 'acme', project: 'shop', resource: 'cart', name: 'other' },
    ...{ owner: 'acme/shop/other', settings: { region: 'eu' }, cloud: 'a cloud', unknown: [] },
    config: { size: 2, zone: 'a' },
    previous: { size: 1, zone: 'a' },
    outputs: { url: 'u', port: 1 },
  });
  expect([aborted, signal.aborted, log]).toEqual([false, true, quiet]);
  const config = { size: 2, zone: 'a' };
  expect(beside).toEqual([{ project: 'shop', name: 'orders', config, previous: null }]);
});

interface Case {
  readonly plan: Plan;
  readonly member?: Partial<PlanMemberBody>;
  readonly type?: object;
  readonly want: unknown;
}

const failed = (message: string) => ({ error: expect.stringContaining(message) });

const cases: Record<string, Case> = {
  'nothing accepts': { plan: () => undefined, want: {} },
  'an empty list accepts': { plan: () => [], want: {} },
  'a refusal': {
    plan: () => refuse('/size', 'Too\nlarge'),
    want: { refuse: [{ path: '/size', message: 'Too large' }] },
  },
  'a promise of a refusal': {
    plan: async () => await pause(1, refuse('', 'The account is full')),
    want: { refuse: [{ path: '', message: 'The account is full' }] },
  },
  'several at once': {
    plan: () => [refuse('/size', 'A'), replace('/zone'), refuse('/zone', 'B'), { port: 3 }],
    want: {
      refuse: [
        { path: '/size', message: 'A' },
        { path: '/zone', message: 'B' },
      ],
      replace: ['/zone'],
      outputs: { port: 3 },
    },
  },
  'a replacement that is said twice': {
    plan: () => [replace('/zone'), replace('/zone')],
    want: { replace: ['/zone'] },
  },
  'outputs that are known': { plan: () => ({ url: 'x' }), want: { outputs: { url: 'x' } } },
  'a long sentence': {
    plan: () => refuse('', 'x'.repeat(1_000)),
    want: { refuse: [{ path: '', message: `${'x'.repeat(499)}…` }] },
  },
  'an output that the schema does not have': {
    plan: () => ({ color: 'red' }),
    want: failed('the output color, which does not fit: the schema has no such output'),
  },
  'an output of another type': { plan: () => ({ port: 'x' }), want: failed('port') },
  'too many outputs': {
    plan: () => ({ url: 'x'.repeat(20_000) }),
    want: failed('of at most 16384; return fewer'),
  },
  'a text': { plan: () => 'no', want: failed('plan must return refuse(path, sentence)') },
  'a path that is none': {
    plan: () => refuse('size' as never, 'No'),
    want: failed('refuse: "size" is no place in the config'),
  },
  'an empty sentence': { plan: () => refuse('', ' '), want: failed('the sentence is empty') },
  'too many replacements': {
    plan: () => Array.from({ length: 21 }, (_, at) => replace(`/rules/${at}`)),
    want: failed('plan returned 21 replacements'),
  },
  'an error': {
    plan: () => {
      throw new Error('fetch failed', { cause: new Error('connect ECONNREFUSED') });
    },
    want: { error: 'fetch failed, caused by connect ECONNREFUSED' },
  },
  'an error with a place in the code, and a secret': {
    plan: ({ config }) => {
      throw new Error(`No ${(config as { token: string }).token} in /code/index.ts`);
    },
    member: { config: { token: 'open sesame' } },
    want: { error: 'No [masked] in index.ts' },
  },
  'a refusal with a secret': {
    plan: ({ config }) => refuse('/token', `${(config as { token: string }).token} is taken`),
    member: { config: { token: 'open sesame' } },
    want: { refuse: [{ path: '/token', message: '[masked] is taken' }] },
  },
  'a secret of another resource': {
    plan: ({ config }) => refuse('/zone', `${(config as { zone: string }).zone} is taken`),
    member: { config: { zone: 'open sesame' }, secrets: ['/config/zone'] },
    want: { refuse: [{ path: '/zone', message: '[masked] is taken' }] },
  },
  'a rule of the schema that no JSON Schema has': {
    plan: () => undefined,
    type: {
      config: Config.refine(({ size }) => size % 2 === 1, { path: ['size'], error: 'Be odd' }),
    },
    want: { refuse: [{ path: '/size', message: 'Be odd' }] },
  },
  'a config that is not known whole': {
    plan: ({ config, unknown }) => refuse('', JSON.stringify([config, unknown])),
    member: { config: { size: `\${a/b/c.outputs.size}` }, unknown: ['/size'] },
    want: { refuse: [{ path: '', message: '[{"zone":"a"},["/size"]]' }] },
  },
};

it.each(Object.entries(cases))('%s', async (_name, { plan, member: given = {}, type, want }) => {
  expect(await planned(plan, [given], type)).toEqual([want]);
});

it('answers each member for itself, and logs what failed', async () => {
  const lines: unknown[] = [];
  const log = { ...quiet, error: (...line: unknown[]) => void lines.push(line) };
  const plan: Plan = ({ name }) => {
    if (name === 'bad') throw new Error('Boom');
    return name === 'worse' ? refuse('/size', 'No') : undefined;
  };
  const names = ['good', 'bad', 'worse'].map((name) => ({ name }));
  const { body } = await run(plan, names, { log });
  expect(body).toEqual({
    members: [{}, { error: 'Boom' }, { refuse: [{ path: '/size', message: 'No' }] }],
  });
  const error = expect.objectContaining({ message: 'Boom' });
  expect(lines).toEqual([['plan failed; the config is accepted', { name: 'bad', error }]]);
});

it('ends after two seconds, and aborts the signal', async () => {
  let aborted = false;
  const slow: Plan = ({ name, signal }) => {
    if (name === 'quick') return undefined;
    signal.addEventListener('abort', () => {
      aborted = true;
    });
    return new Promise(() => {});
  };
  const began = performance.now();
  const members = await planned(slow, [{ name: 'slow' }, { name: 'quick' }]);
  expect(members).toEqual([{ error: 'plan has not ended within 2 s' }, {}]);
  expect(performance.now() - began).toBeLessThan(3_000);
  expect(aborted).toBe(true);
});

it('keeps an answer about many resources within its limit', async () => {
  const many = Array.from({ length: 500 }, (_, at) => ({ name: `n${at}` }));
  const answered = await planned(() => [replace('/zone'), { url: 'x'.repeat(2_000) }], many);
  expect(answered).toEqual(many.map(() => ({ replace: ['/zone'] })));
  const refused = await planned(() => refuse('', 'é'.repeat(500)), many);
  expect(refused.filter(({ refuse: each }) => each !== undefined)).toHaveLength(100);
});

it('migrates what earlier versions of the type left', async () => {
  const seen: unknown[] = [];
  const type = {
    version: 2,
    config: z.object({ sizeGb: z.int() }),
    migrations: [
      from(1, { config: z.object({ size: z.int() }), outputs: Outputs }).to(
        ({ size }) => ({ sizeGb: size }),
        (outputs) => outputs,
      ),
    ],
  };
  const plan: Plan = ({ config, previous }) => void seen.push([config, previous]);
  await planned(plan, [{ ...grown, outputs_schema_version: 1 }], type);
  expect(seen).toEqual([[{ sizeGb: 2 }, { sizeGb: 1 }]]);
  const unknown = { config: { size: 'ref' }, unknown: ['/size'] };
  expect(await planned(plan, [unknown], type), 'a migration needs all of it').toEqual([{}]);
  expect(seen).toHaveLength(1);
});

it('refuses a type without the handler, or without a name', async () => {
  expect(await run(undefined)).toMatchObject({
    status: 422,
    body: { error: { code: 'not_plannable' } },
  });
  expect(() => carts('x' as never)).toThrow('Type cart: plan must be a function');
});
