// Records each delivery as a span, which the provider continues.
import { cloudEventType } from '../domain/event.ts';
import { noTracer, type Tracer } from '../lib/tracer.ts';
import type { Dispatch } from './dispatch.ts';

export function tracedDispatch(tracer: Tracer, dispatch: Dispatch): Dispatch {
  if (tracer === noTracer) return dispatch;
  return async (event, endpoint, signal) => {
    const span = tracer.start('POST', {
      kind: 'client',
      parent: event.traceparent,
      attributes: {
        'http.request.method': 'POST',
        ...serverAttributes(endpoint.url),
        'cloudevents.event_id': event.id,
        'cloudevents.event_type': cloudEventType[event.type],
        'cloudevents.event_subject': `${event.provider}/${event.resource}/${event.name}`,
        'fairlead.attempt': event.attempt,
        'fairlead.sequence': event.sequence,
      },
    });
    const answer = await dispatch({ ...event, traceparent: span.traceparent }, endpoint, signal);
    span.set({ 'fairlead.outcome': answer.kind });
    const { shownCode = (code) => code } = endpoint;
    span.end(answer.kind === 'failed' ? shownCode(answer.code) : undefined);
    return answer;
  };
}

/** Never the path, which may hold a token. */
function serverAttributes(url: string) {
  if (!URL.canParse(url)) return {};
  const { hostname, port, protocol } = new URL(url);
  const standard = protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname, 'server.port': port === '' ? standard : Number(port) };
}
