// The provider: two types and their handlers. Each handler may be called again after it did its work, and then changes nothing.
import { type Call, fail, provider, type UpdateCall, z } from 'fairlead/provider';
import { dropDatabase, ensureDatabase } from './databases.ts';
import { type Mark, markOf } from './mark.ts';
import { dropRole, ensureRole, passwordFor } from './roles.ts';
import { type Server, type Session, withSession } from './server.ts';

export const providerName = 'postgres';

/** Both are credentials: Fairlead keeps them in a Secret, and shows neither. */
const settings = z.object({
  url: z
    .string()
    .regex(/^postgres(?:ql)?:\/\/./)
    .describe('URL of a superuser, or of a role that may create databases and roles')
    .meta({ sensitive: true }),
  secret: z
    .string()
    .min(16)
    .describe('Text that passwords are derived from; another one changes them all')
    .meta({ sensitive: true }),
});

const identifier = z
  .string()
  .regex(/^[a-z_][a-z0-9_]{0,39}$/)
  .describe('Lower-case letters, digits and underscores, 40 at most');
/** Outputs contain the name, and another database has other data. */
const ownName = identifier.meta({ immutable: true });
const connectionLimit = z.int().min(1).max(1_000);

const DatabaseConfig = z.strictObject({
  name: ownName,
  connectionLimit: connectionLimit.default(20).describe('Maximum number of concurrent sessions'),
  owner: identifier.optional().describe('A role of this provider that owns the database'),
});

const RoleConfig = z.strictObject({
  name: ownName,
  login: z.boolean().default(true).describe('Whether the role may connect'),
  connectionLimit: connectionLimit
    .optional()
    .describe('Maximum number of concurrent sessions; no limit when absent'),
});

const Login = {
  host: z.string(),
  port: z.int(),
  user: z.string(),
  password: z.string().meta({ writeOnly: true }),
};
const DatabaseOutputs = z.object({ ...Login, database: z.string(), url: z.string() });
const RoleOutputs = z.object(Login);

type Database = z.output<typeof DatabaseConfig>;
type Role = z.output<typeof RoleConfig>;

const declared = provider(providerName, {
  settings,
  check: ({ settings: server, signal }) =>
    withSession(server, { subject: 'check', signal }, () => Promise.resolve()),
});

const databases = declared.resource('database', {
  description: 'A PostgreSQL database with a login role of its own',
  config: DatabaseConfig,
  outputs: DatabaseOutputs,
  create: ensureOneDatabase,
  update: (call) => ensureOneDatabase(withSameName(call)),
  async delete(call) {
    const name = call.outputs.database ?? call.config.name;
    await inSession(call, (session) => dropDatabase(session, name, markFor(call)));
  },
});

async function ensureOneDatabase(call: Call<Database, Server>) {
  const { config, log } = call;
  const mark = markFor(call);
  const password = passwordFor(call.settings, mark, config.name);
  return await inSession(call, async (session) => {
    const { name, owner } = config;
    await ensureDatabase(session, { ...config, name, owner, password }, mark);
    log.info('The database is up to date');
    const { host, port } = session;
    const login = { host, port, user: name, password };
    return { ...login, database: name, url: urlOf(login, name) };
  });
}

const roles = declared.resource('role', {
  description: 'A PostgreSQL role, to connect with or to own databases',
  config: RoleConfig,
  outputs: RoleOutputs,
  create: ensureOneRole,
  update: (call) => ensureOneRole(withSameName(call)),
  async delete(call) {
    const name = call.outputs.user ?? call.config.name;
    await inSession(call, (session) => dropRole(session, name, markFor(call)));
  },
});

async function ensureOneRole(call: Call<Role, Server>) {
  const { name, login, connectionLimit: limit = -1 } = call.config;
  const mark = markFor(call);
  const password = passwordFor(call.settings, mark, name);
  return await inSession(call, async (session) => {
    await ensureRole(session, { name, login, password, connectionLimit: limit }, mark);
    call.log.info('The role is up to date');
    return { host: session.host, port: session.port, user: name, password };
  });
}

export const postgres = declared.types(databases, roles);

type Subject = Pick<
  Call<unknown, Server>,
  'organization' | 'resource' | 'name' | 'signal' | 'settings'
>;

function markFor({ organization, resource: type, name }: Subject): Mark {
  return markOf({ organization, provider: providerName, resource: type, name });
}

function inSession<T>(call: Subject, work: (session: Session) => Promise<T>) {
  return withSession(call.settings, { subject: markFor(call), signal: call.signal }, work);
}

/** Fairlead refuses the apply, unless it came before the name was marked. */
function withSameName<C extends UpdateCall<{ name: string }, unknown>>(call: C): C {
  const [wanted, present] = [call.config.name, call.previousConfig.name];
  if (wanted === present) return call;
  fail(
    'immutable',
    `The name cannot change from ${present} to ${wanted}; declare another resource`,
  );
}

interface LoginParts {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

function urlOf({ host, port, user, password }: LoginParts, database: string): string {
  return `postgresql://${user}:${password}@${host}:${port}/${database}`;
}
