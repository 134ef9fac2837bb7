// The example as its users run it: a real PostgreSQL, the provider served over HTTP, and events as Fairlead sends them.
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { expect } from 'vitest';
import { postgres } from '../../../examples/postgres/provider.ts';
import type { ListedBody, ListedItem } from '../../../src/domain/event.ts';
import { createDispatcher } from '../../../src/events/dispatch.ts';
import type { Answer, OutgoingEvent } from '../../../src/events/protocol.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { serve } from '../../../src/sdk/index.ts';
import { ownPostgres } from '../../support/servers/own-postgres.ts';
import { anEvent, signingFairlead } from '../../support/servers/signing-fairlead.ts';

export interface Login {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly url: string;
}

type Rows = readonly Record<string, unknown>[];

export interface ServedPostgres {
  readonly adminPassword: string;
  /** The log of the provider so far. */
  readonly lines: readonly string[];
  /** PostgreSQL's own log. */
  serverLog(): Promise<string>;
  deliver(event: Partial<OutgoingEvent>, signal?: AbortSignal): Promise<Answer>;
  /** @returns the first page of what exists @throws when the provider refuses */
  list(resource: string, organizationId?: string): Promise<readonly ListedItem[]>;
  /** Runs SQL as the administrator, in the administrator's database or another one. */
  query(text: string, values?: readonly unknown[], database?: string): Promise<Rows>;
  /** A session of the administrator that stays until the end of its scope. */
  session(database?: string): Promise<pg.Client & AsyncDisposable>;
  stop(): Promise<void>;
}

interface Options {
  /** URL of another server than the one that was started. */
  readonly url?: string;
}

export async function servePostgres({ url }: Options = {}): Promise<ServedPostgres> {
  await using stack = new AsyncDisposableStack();
  const local = stack.use(await ownPostgres());
  const fairlead = await signingFairlead();
  stack.defer(() => fairlead.close());
  const lines: string[] = [];
  const note = (message: string, fields?: object) => {
    const shown = Object.entries(fields ?? {}).map(([name, value]) => {
      return `${name}=${value instanceof Error ? value.stack : JSON.stringify(value)}`;
    });
    lines.push([message, ...shown].join(' '));
  };
  const log = { debug: note, info: note, warn: note, error: note };
  const settings = { url: url ?? local.url, secret: 'a secret of the tests' };
  const served = await serve(postgres, { fairlead: fairlead.url, port: 0, log, settings });
  stack.defer(() => served.close(1_000));
  const { signer } = fairlead;
  const dispatcher = createDispatcher({
    signer,
    clock: systemClock,
    log: silentLog,
    loopback: true,
  });
  stack.defer(() => dispatcher.close());
  const forever = new AbortController().signal;
  const running = stack.move();

  async function session(database = 'postgres') {
    const at = new URL(local.url);
    at.pathname = `/${database}`;
    return await clientOf(at.href);
  }

  return {
    adminPassword: local.password,
    lines,
    serverLog: () => readFile(local.logFile, 'utf8'),
    deliver: (event, signal = forever) =>
      dispatcher.dispatch(databaseEvent(event), { url: served.url }, signal),
    async list(resource, organizationId = 'acme') {
      const request = { event_type: 'LIST', provider: 'postgres', resource, cursor: null } as const;
      const asked = { id: `req-${crypto.randomUUID()}`, organizationId, request };
      const reply = await dispatcher.ask(asked, { url: served.url }, forever);
      if (reply.kind !== 'done') throw new Error(`no list: ${JSON.stringify(reply)}`);
      return (reply.body as unknown as ListedBody).items;
    },
    async query(text, values = [], database = 'postgres') {
      await using client = await session(database);
      return (await client.query<Record<string, unknown>>(text, [...values])).rows;
    },
    session,
    stop: () => running.disposeAsync(),
  };
}

/** Each event has an id of its own, as every generation has. */
function databaseEvent(event: Partial<OutgoingEvent>): OutgoingEvent {
  const id = `evt-${crypto.randomUUID()}`;
  return anEvent({ id, provider: 'postgres', resource: 'database', name: 'orders', ...event });
}

export async function clientOf(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // A session that the server ends emits an error here, too.
  client.on('error', () => undefined);
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** @throws unless the answer is a success */
export function outputsOf(answer: Answer): Login & JsonObject {
  if (answer.kind !== 'succeeded') throw new Error(`not a success: ${JSON.stringify(answer)}`);
  return answer.outputs as unknown as Login & JsonObject;
}

/** What an event has that differs from `anEvent`. */
export type Changes = Partial<OutgoingEvent>;

/** Declares a resource named like what it makes. */
export const database = (name: string, config: object = {}, more: Changes = {}): Changes => ({
  name,
  config: { name, ...config },
  ...more,
});

/** Matches the answer of a handler that refuses for good. */
export const failed = (code: string) =>
  expect.objectContaining({ kind: 'failed', terminal: true, code });
/** The answer of a handler without outputs. */
export const succeeded = { kind: 'succeeded', outputs: {} };
