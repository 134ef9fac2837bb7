// Reads server-sent events as a client does: the last id, and the resources as the events describe them.
import { type IncomingMessage, request } from 'node:http';
import type { ServedApi } from '../servers/served-api.ts';

export interface ServedEvent {
  readonly id: string | undefined;
  readonly type: string;
  readonly data: unknown;
}

export interface EventReader {
  readonly status: number;
  readonly response: IncomingMessage;
  readonly events: readonly ServedEvent[];
  /** As a client sends it back; also moved by events without data. */
  readonly lastId: string;
  /** Everything received. */
  readonly text: string;
  /** How the stream ended; undefined while it is open. */
  readonly ended: 'whole' | 'cut' | undefined;
  close(): void;
}

interface Opening {
  readonly token: string;
  readonly path?: string;
  /** A change that is answered with events; by default they are read with GET. */
  readonly change?: { readonly method: string; readonly body: unknown };
  readonly lastId?: string;
  readonly receive?: (event: ServedEvent) => void;
}

export async function openEvents(
  { port }: Pick<ServedApi, 'port'>,
  { token, path = '/resources/', change, lastId = '', receive = () => undefined }: Opening,
): Promise<EventReader> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
      ...(lastId === '' ? {} : { 'last-event-id': lastId }),
      ...(change === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const { method = 'GET', body } = change ?? {};
    const target = { host: '127.0.0.1', port, method, path, headers, agent: false };
    const sent = body === undefined ? undefined : JSON.stringify(body);
    request(target, resolve).once('error', reject).end(sent);
  });
  const events: ServedEvent[] = [];
  let at = lastId;
  let text = '';
  let rest = '';
  let ended: EventReader['ended'];

  function take(block: string): void {
    const fields = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line) ?? [line, line, '']);
    const fieldOf = (name: string) => fields.find(([, each]) => each === name)?.[2];
    const id = fieldOf('id');
    if (id !== undefined) at = id;
    const data = fieldOf('data');
    if (data === undefined) return;
    const event = { id, type: fieldOf('event') ?? 'message', data: JSON.parse(data) as unknown };
    events.push(event);
    receive(event);
  }

  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    if (response.statusCode === 200) for (const block of blocks) take(block);
  });
  response.once('end', () => {
    ended = 'whole';
  });
  response.once('error', () => {
    ended ??= 'cut';
  });
  return {
    status: response.statusCode ?? 0,
    response,
    events,
    get lastId() {
      return at;
    },
    get text() {
      return text;
    },
    get ended() {
      return ended;
    },
    close: () => response.destroy(),
  };
}

export interface View {
  readonly records: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly isSynced: boolean;
  receive(event: ServedEvent): void;
}

/** The resources that a client knows from a stream, and from those that continue it. */
export function createView(): View {
  const records = new Map<string, Record<string, unknown>>();
  let isSynced = false;
  return {
    records,
    get isSynced() {
      return isSynced;
    },
    receive({ type, data }) {
      const record = data as Record<string, unknown>;
      const id = String(record['id']);
      if (type === 'reset') records.clear();
      if (type === 'upsert') records.set(id, record);
      if (type === 'deleting' || type === 'deleted') records.delete(id);
      isSynced = type === 'synced' || (isSynced && type !== 'reset');
    },
  };
}
