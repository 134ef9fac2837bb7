// The expiry of the certificates with which pods of providers serve events.
import type { Provider } from '../crds/provider.ts';
import type { Informer } from '../kube/api.ts';
import type { Metrics } from './registry.ts';

export function measureCertificates(
  metrics: Metrics,
  providers: Pick<Informer<Provider>, 'items'>,
): void {
  const expiry = metrics.gauge({
    name: 'fairlead_provider_certificate_expiry_timestamp_seconds',
    help: 'The earliest expiry of a certificate with which pods of providers serve events, in seconds since 1970.',
    labels: ['organization'],
  });
  metrics.beforeScrape(() => {
    const earliest = new Map<string, number>();
    for (const { metadata, status } of providers.items()) {
      const { namespace = '' } = metadata;
      const at = Date.parse(status?.certificateExpiresAt ?? '') / 1_000;
      const known = earliest.get(namespace) ?? Number.POSITIVE_INFINITY;
      if (at < known) earliest.set(namespace, at);
    }
    expiry([...earliest].map(([organization, value]) => ({ labels: { organization }, value })));
  });
}
