// A bad night: a wrong version of a provider is deployed, and 300 resources fail for three causes.
import { expect } from 'vitest';
import { type Author, authorOf, code } from '../fixtures/code/author.ts';
import { eventually } from '../runner/eventually.ts';
import type { Fairlead } from '../servers/fairlead.ts';

export interface BadNight {
  readonly author: Author;
  /** The version that works. */
  readonly good: string;
  /** The version that fails, and is deployed. */
  readonly wrong: string;
}

/** Resources by the beginning of their names, which decides why they fail. */
export const failures = { volume: 240, quota: 40, region: 20 } as const;

/** Resources that stay ready, and what they use. */
const healthy: Readonly<Record<string, readonly string[]>> = {
  storage: [],
  search: ['storage'],
  wiki: ['storage'],
  shop: ['storage', 'search'],
  portal: ['shop', 'wiki', 'search'],
};

const causes = `const causes = {
  volume: 'The volume of the storage pool is read-only',
  quota: 'The quota of the account is used up',
  region: 'The region eu-north does not answer',
};
`;

/** The code of a version that fails for names that begin with a cause. */
function wrongCode(): string {
  return code('wrong', causes).replace(
    "call.log.info('making ' + call.name);",
    `const message = causes[call.name.split('-')[0] as keyof typeof causes];
      if (message !== undefined) throw new Error(message);`,
  );
}

const atOnce = 20;

/**
 * Takes about a minute, half of it for two builds.
 * @param fairlead whose events fail after few attempts
 * @param organization one that no other file uses
 */
export async function startBadNight(fairlead: Fairlead, organization: string): Promise<BadNight> {
  const author = await authorOf(fairlead, organization);
  const { version: good } = await author.built(code('good'));
  await deploy(author, good);
  for (const [name, uses] of Object.entries(healthy)) await applyUsing(author, name, uses);
  await eventually(async () => expect(await countOf(author, 'ready')).toBe(5), 60_000);
  const { version: wrong } = await author.built(wrongCode());
  await deploy(author, wrong);
  const names = Object.entries(failures).flatMap(([cause, count]) =>
    Array.from({ length: count }, (_, at) => `${cause}-${String(at).padStart(3, '0')}`),
  );
  await apply(author, names);
  await eventually(async () => expect(await countOf(author, 'failed')).toBe(300), 120_000);
  return { author, good, wrong };
}

async function deploy({ caller, deploymentIs }: Author, version: string): Promise<void> {
  expect((await caller.post('/providers/crates/deploy', { version })).status).toBe(200);
  await deploymentIs({ status: 'available', version });
}

async function apply(author: Author, names: readonly string[]): Promise<void> {
  for (let at = 0; at < names.length; at += atOnce) {
    const replies = await Promise.all(
      names.slice(at, at + atOnce).map((name) => author.apply(name, 1)),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  }
}

async function applyUsing(
  { caller }: Author,
  name: string,
  uses: readonly string[],
): Promise<void> {
  const crate = { provider: 'crates', resource: 'crate' };
  const { status } = await caller.post('/resources/apply', {
    ...crate,
    name,
    config: { size: 1 },
    lifecycle_state: 'pending',
    dependencies: uses.map((each) => ({ ...crate, name: each })),
  });
  expect(status).toBe(200);
}

async function countOf({ caller }: Author, state: string): Promise<number> {
  const { body } = await caller.get(`/resources/?lifecycle_state=${state}`);
  return (body as readonly unknown[]).length;
}
