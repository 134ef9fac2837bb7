// Reads server-sent events (WHATWG HTML, section 9.2) from an answer of the API.

export interface StreamEvent {
  /** `message` unless the event has a name. */
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** The stream fell silent for longer than the server's signs of life allow. */
export class Silence extends Error {
  override readonly name = 'Silence';
}

/**
 * @param chunks bytes of the body
 * @param silenceMs after which the stream counts as lost, since the server sends something every few seconds
 * @throws Silence
 */
export async function* readEvents(
  chunks: AsyncIterable<Uint8Array>,
  silenceMs = 15_000,
): AsyncGenerator<StreamEvent, void, void> {
  let fields: EventFields = empty();
  for await (const lines of linesOf(withoutSilence(chunks, silenceMs))) {
    for (const line of lines) {
      if (line !== '') {
        add(fields, line);
        continue;
      }
      if (hasContent(fields)) yield streamEvent(fields);
      fields = { ...empty(), id: fields.id };
    }
  }
}

/** A line may have megabytes: only new text is searched for its end. @returns of each chunk the lines that it ends */
async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly string[], void, void> {
  const decoder = new TextDecoder();
  let rest = '';
  // A carriage return at the end of a chunk, perhaps before a line feed.
  let last = '';
  for await (const chunk of chunks) {
    const text = last + decoder.decode(chunk, { stream: true });
    last = text.endsWith('\r') ? '\r' : '';
    const [first = '', ...more] = text.slice(0, text.length - last.length).split(/\r\n|\n|\r/);
    const lines = [rest + first, ...more];
    rest = lines.pop() ?? '';
    yield lines;
  }
}

function hasContent({ data, event }: EventFields): boolean {
  return data.length > 0 || event !== '';
}

interface EventFields {
  event: string;
  data: string[];
  id: string | undefined;
}

function empty(): EventFields {
  return { event: '', data: [], id: undefined };
}

function streamEvent({ event, data, id }: EventFields): StreamEvent {
  return { event: event === '' ? 'message' : event, data: data.join('\n'), id };
}

function add(fields: EventFields, line: string): void {
  const at = line.indexOf(':');
  if (at === 0) return;
  const name = at < 0 ? line : line.slice(0, at);
  const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '');
  if (name === 'data') fields.data.push(value);
  else if (name === 'event') fields.event = value;
  else if (name === 'id') fields.id = value;
}

async function* withoutSilence<T>(
  source: AsyncIterable<T>,
  silenceMs: number,
): AsyncGenerator<T, void, void> {
  const iterator = source[Symbol.asyncIterator]();
  let timer: NodeJS.Timeout | undefined;
  try {
    for (;;) {
      const silence = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Silence('The stream fell silent')), silenceMs);
      });
      const next = await Promise.race([iterator.next(), silence]);
      clearTimeout(timer);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    clearTimeout(timer);
    // Not awaited: of a stream that fell silent it never ends.
    void iterator.return?.().catch(() => undefined);
  }
}
