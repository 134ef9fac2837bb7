// Opens the tracer of this process.
import { noTracer, type Tracer } from '../lib/tracer.ts';
import type { ServiceSettings } from './settings.ts';

const everything = ['api', 'controller'] as const;

export async function openTracer(
  stack: AsyncDisposableStack,
  { tracing, parts = everything, release }: ServiceSettings,
): Promise<Tracer> {
  if (tracing === undefined) return noTracer;
  const { createOtlpTracer } = await import('../tracing/otlp.ts');
  const service = parts.length === 1 ? `fairlead-${parts[0]}` : 'fairlead';
  const tracer = createOtlpTracer({ service, release, ...tracing });
  // A collector that does not answer must not hold up the end of the process: the exporter has a timeout of its own.
  stack.defer(() => tracer.close().catch(() => undefined));
  return tracer;
}
