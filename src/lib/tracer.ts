// Spans of a trace, without a library. By default none are recorded, and a trace of a client passes through unchanged.

export type SpanAttributes = Readonly<Record<string, string | number | undefined>>;

interface SpanOptions {
  /** `server` receives a request, `client` sends one. */
  readonly kind: 'server' | 'client' | 'internal';
  /** The `traceparent` of its cause; without it, the span begins a trace. */
  readonly parent?: string | undefined;
  readonly attributes?: SpanAttributes;
}

export interface Span {
  /** For what this operation causes; undefined when there is no trace. */
  readonly traceparent: string | undefined;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** @param errorType a code or the name of a class, when the operation failed; never a message, which may contain secrets */
  end(errorType?: string): void;
}

export interface Tracer {
  start(name: string, options: SpanOptions): Span;
}

export const noTracer: Tracer = {
  start: (_name, { parent }) => ({ traceparent: parent, rename() {}, set() {}, end() {} }),
};

/** Runs `work` as a span. */
export async function inSpan<T>(
  span: Span,
  work: (traceparent: string | undefined) => Promise<T>,
): Promise<T> {
  try {
    const result = await work(span.traceparent);
    span.end();
    return result;
  } catch (thrown) {
    span.end(errorTypeOf(thrown));
    throw thrown;
  }
}

function errorTypeOf(thrown: unknown): string {
  const { code, name } = (thrown ?? {}) as { code?: unknown; name?: unknown };
  return [code, name].find((each) => typeof each === 'string') ?? '_OTHER';
}
