// The provider: two types and their handlers. Each handler may be called again after it did its work, and then changes nothing.
import { type Call, fail, provider, type UpdateCall, z } from 'fairlead/provider';
import { dropDatabase, ensureDatabase } from './databases.ts';
import { listDatabases, observeDatabase } from './found-databases.ts';
import { listRoles, observeRole } from './found-roles.ts';
import { identityIn, type Mark, markOf, type Seeker, typeMarkOf } from './mark.ts';
import { dropRole, ensureRole, passwordFor } from './roles.ts';
import { type Server, type Session, withSession } from './server.ts';
import { identifierPattern } from './sql.ts';

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
  .regex(identifierPattern)
  .describe('Lower-case letters, digits and underscores, 40 at most');
/** Outputs contain the name, and another database has other data. */
const ownName = identifier.meta({ immutable: true });
const connectionLimit = z.int().min(1).max(1_000);
/** Tells databases and roles apart, also those of an import. */
const Identity = z.strictObject({ name: identifier });

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
  check: (call) => reading(call, () => Promise.resolve()),
});

const databases = declared.resource('database', {
  description: 'A PostgreSQL database with a login role of its own',
  config: DatabaseConfig,
  outputs: DatabaseOutputs,
  identity: { schema: Identity, of: (outputs) => ({ name: outputs.database }) },
  create: (call) => ensureOneDatabase(call),
  update(call) {
    const { database: name, password } = call.outputs;
    return ensureOneDatabase(withSameName(call), isImport({ name, password }, call.config));
  },
  observe: (call) =>
    reading(call, async (session) => {
      const database = nameOf(call);
      return await observeDatabase(session, database, seekerOf(call));
    }),
  list: (call) =>
    reading(call, (session) => listDatabases(session, markOfType('database', call), call.cursor)),
  async delete(call) {
    const name = call.identity?.name ?? call.config.name;
    await inSession(call, (session) => dropDatabase(session, name, markFor(call)));
  },
});

async function ensureOneDatabase(call: Call<Database, Server>, isImported = false) {
  const { config, log } = call;
  const mark = markFor(call);
  const password = passwordFor(call.settings, mark, config.name);
  return await inSession(call, async (session) => {
    const { name, owner } = config;
    await ensureDatabase(session, { ...config, name, owner, password }, { mark, isImported });
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
  identity: { schema: Identity, of: (outputs) => ({ name: outputs.user }) },
  create: (call) => ensureOneRole(call),
  update(call) {
    const { user: name, password } = call.outputs;
    return ensureOneRole(withSameName(call), isImport({ name, password }, call.config));
  },
  observe: (call) =>
    reading(call, async (session) => {
      const role = nameOf(call);
      return await observeRole(session, role, seekerOf(call));
    }),
  list: (call) =>
    reading(call, (session) => listRoles(session, markOfType('role', call), call.cursor)),
  async delete(call) {
    const name = call.identity?.name ?? call.config.name;
    await inSession(call, (session) => dropRole(session, name, markFor(call)));
  },
});

async function ensureOneRole(call: Call<Role, Server>, isImported = false) {
  const { name, login, connectionLimit: limit = -1 } = call.config;
  const mark = markFor(call);
  const password = passwordFor(call.settings, mark, name);
  return await inSession(call, async (session) => {
    const wanted = { name, login, password, connectionLimit: limit };
    await ensureRole(session, wanted, { mark, isImported });
    call.log.info('The role is up to date');
    return { host: session.host, port: session.port, user: name, password };
  });
}

export const postgres = declared.types(databases, roles);

type Subject = Pick<
  Call<unknown, Server>,
  'organization' | 'project' | 'resource' | 'name' | 'signal' | 'settings'
>;

function markFor({ organization, project, resource, name }: Subject): Mark {
  return markOf({ organization, project, provider: providerName, resource, name });
}

function markOfType(resource: string, { organization }: Pick<Subject, 'organization'>): string {
  return typeMarkOf({ organization, provider: providerName, resource });
}

function inSession<T>(call: Subject, work: (session: Session) => Promise<T>) {
  return withSession(
    call.settings,
    { subject: identityIn(markFor(call)), signal: call.signal },
    work,
  );
}

type Reading = Pick<Subject, 'settings' | 'signal'>;

function reading<T>({ settings, signal }: Reading, work: (session: Session) => Promise<T>) {
  return withSession(settings, { signal }, work);
}

interface Recorded {
  readonly name: string | undefined;
  readonly password: string | undefined;
}

/** Returns whether what is recorded was imported, and not updated since: events give out a password, observations do not. */
function isImport({ name, password }: Recorded, config: { readonly name: string }): boolean {
  return name === config.name && password === undefined;
}

interface Sought {
  readonly adopt: { readonly name: string } | null;
  readonly identity: { readonly name: string } | null;
  readonly config: { readonly name?: string };
}

function seekerOf(call: Subject & Sought): Seeker {
  const isImport = call.adopt !== null;
  return { mark: markFor(call), isImport, isPreview: isImport && call.config.name === undefined };
}

function nameOf({ adopt: wanted, config: { name }, identity }: Sought): string {
  // The name cannot change, so the first update would make another one.
  if (wanted !== null && name !== undefined && name !== wanted.name) {
    fail('other_name', `adopt names ${wanted.name} and the config ${name}; declare the same name`);
  }
  return wanted?.name ?? identity?.name ?? name ?? fail('no_name', 'The config has no name');
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
