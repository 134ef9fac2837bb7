// The provider: two types and their handlers. Each handler may be called again after it did its work, and then changes nothing.
import { type Call, fail, type Provider, provider, resource, z } from 'fairlead/provider';
import { dropDatabase, ensureDatabase } from './databases.ts';
import { type Mark, markOf } from './mark.ts';
import { dropRole, ensureRole, passwordFor } from './roles.ts';
import { type Server, type Session, withSession } from './server.ts';

export const providerName = 'postgres';

const identifier = z
  .string()
  .regex(/^[a-z_][a-z0-9_]{0,39}$/)
  .describe('Lower-case letters, digits and underscores, 40 at most');
const connectionLimit = z.int().min(1).max(1_000);

const DatabaseConfig = z.strictObject({
  name: identifier,
  connectionLimit: connectionLimit.default(20).describe('Maximum number of concurrent sessions'),
  owner: identifier.optional().describe('A role of this provider that owns the database'),
});

const RoleConfig = z.strictObject({
  name: identifier,
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

/** @param server the PostgreSQL server for databases and roles */
export function postgres(server: Server): Provider {
  return provider(providerName, [databases(server), roles(server)]);
}

function databases(server: Server) {
  async function ensure(call: Call<Database>) {
    const { config, log } = call;
    const mark = markFor(call);
    const password = passwordFor(server, mark, config.name);
    return await inSession(server, call, async (session) => {
      const { name, owner } = config;
      await ensureDatabase(session, { ...config, name, owner, password }, mark);
      log.info('The database is up to date');
      const { host, port } = session;
      const login = { host, port, user: name, password };
      return { ...login, database: name, url: urlOf(login, name) };
    });
  }

  return resource('database', {
    description: 'A PostgreSQL database with a login role of its own',
    config: DatabaseConfig,
    outputs: DatabaseOutputs,
    create: ensure,
    update(call) {
      keepName(call.config.name, call.previousConfig.name);
      return ensure(call);
    },
    async delete(call) {
      const name = call.outputs.database ?? call.config.name;
      await inSession(server, call, (session) => dropDatabase(session, name, markFor(call)));
    },
  });
}

function roles(server: Server) {
  async function ensure(call: Call<Role>) {
    const { name, login, connectionLimit: limit = -1 } = call.config;
    const mark = markFor(call);
    const password = passwordFor(server, mark, name);
    return await inSession(server, call, async (session) => {
      await ensureRole(session, { name, login, password, connectionLimit: limit }, mark);
      call.log.info('The role is up to date');
      return { host: session.host, port: session.port, user: name, password };
    });
  }

  return resource('role', {
    description: 'A PostgreSQL role, to connect with or to own databases',
    config: RoleConfig,
    outputs: RoleOutputs,
    create: ensure,
    update(call) {
      keepName(call.config.name, call.previousConfig.name);
      return ensure(call);
    },
    async delete(call) {
      const name = call.outputs.user ?? call.config.name;
      await inSession(server, call, (session) => dropRole(session, name, markFor(call)));
    },
  });
}

type Subject = Pick<Call<unknown>, 'organization' | 'resource' | 'name' | 'signal'>;

function markFor({ organization, resource: type, name }: Subject): Mark {
  return markOf({ organization, provider: providerName, resource: type, name });
}

function inSession<T>(server: Server, call: Subject, work: (session: Session) => Promise<T>) {
  return withSession(server, { subject: markFor(call), signal: call.signal }, work);
}

function keepName(wanted: string, present: string): void {
  if (wanted === present) return;
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
