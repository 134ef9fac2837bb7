// Records spans and sends them to an OpenTelemetry collector, over OTLP with HTTP and JSON. Imported only when that is wanted: the
// libraries cost memory and start-up time. The exporter reads OTEL_EXPORTER_OTLP_* itself.
import {
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { definedOnly } from '../lib/json.ts';
import type { Span, Tracer } from '../lib/tracer.ts';

interface OtlpOptions {
  /** `service.name`, unless the environment names the service. */
  readonly service: string;
  readonly release: string;
  /** The share of traces that begin here and are recorded, from 0 to 1. Others follow their parent. */
  readonly ratio: number;
  /** The address of the collector; default: that of the environment. */
  readonly url?: string | undefined;
}

interface OtlpTracer extends Tracer {
  /** Sends what is left. */
  close(): Promise<void>;
}

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
} as const;

export function createOtlpTracer({ service, release, ratio, url }: OtlpOptions): OtlpTracer {
  const exporter = new OTLPTraceExporter(url === undefined ? {} : { url });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': release }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('fairlead', release);
  return {
    start(name, { kind, parent, attributes = {} }) {
      const context =
        parent === undefined
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, spanContext(parent));
      const options = { kind: kinds[kind], attributes: definedOnly(attributes) };
      return spanOf(tracer.startSpan(name, options, context));
    },
    close: () => provider.shutdown(),
  };
}

function spanOf(span: ReturnType<ReturnType<TracerProvider['getTracer']>['startSpan']>): Span {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes(definedOnly(attributes)),
    end(errorType) {
      if (errorType !== undefined) {
        span.setAttribute('error.type', errorType);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

function spanContext(traceparent: string): SpanContext {
  const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-');
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}
