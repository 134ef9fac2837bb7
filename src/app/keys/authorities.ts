// Keeps the certificate authority of the installation, and those that it replaced while pods have certificates of them. Every
// controller reads it again and again, so that a replaced one needs no restart.
import { setTimeout as pause } from 'node:timers/promises';
import type { CertifiedKey, Wanted } from '../../certificates/issue.ts';
import { fingerprintOf } from '../../domain/providers/serving-certificate.ts';
import type { KubeClient, KubeObject } from '../../kube/api.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { certificateAnnotation } from '../../providers/workloads/serving-certificate.ts';
import type { Deployment } from '../../reconcilers/workloads.ts';
import { publishAuthority } from '../../store/authorities.ts';
import { keepKey, systemKeys } from '../../store/system.ts';
import type { Caches } from '../caches.ts';
import { createKeyRetention } from './key-retention.ts';

export interface Authorities {
  /** Fingerprint of the authority that signs. */
  readonly signing: string;
  /** Certificates of all trusted authorities as PEM; another array after a change. */
  readonly trusted: readonly string[];
  /** Signs a certificate for one name. */
  issue(wanted: Wanted): Promise<CertifiedKey>;
  /** Calls back when another authority signs. @returns a function that unsubscribes */
  onChange(listener: () => void): () => void;
  stop(): void;
}

interface AuthoritiesDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly namespace: string;
  /** Fingerprints of the authorities whose certificates pods have, or will have. */
  readonly inUse: () => ReadonlySet<string>;
  /** Milliseconds between two reads; default 10 s. */
  readonly lookMs?: number;
}

/** Reads, within which every controller has read a new authority: until then it signs nothing. */
const looksUntilTrusted = 3;

/** Imported when a certificate is made: it takes 20 MiB and 200 ms, and most processes make none. */
const library = () => import('../../certificates/issue.ts');

/** Creates the authority unless there is one. @throws KubeError, and TypeError when the Secret holds none */
export async function openAuthorities(deps: AuthoritiesDeps): Promise<Authorities> {
  const { client, clock, log, namespace, inUse, lookMs = 10_000 } = deps;
  const keeps = createKeyRetention(clock, inUse);
  const listeners = new Set<() => void>();
  const stopping = new AbortController();
  let looksSinceFound = 0;

  async function look() {
    const ref = { namespace, name: systemKeys.authority };
    const found = await keepKey(client, ref, async () => {
      const { makeAuthority } = await library();
      return await makeAuthority(clock.now());
    });
    const published = await publishAuthority({ client, namespace }, found.certificate, keeps);
    return { found, fingerprint: fingerprintOf(found.certificate), published };
  }

  const first = await look();
  let current = first.found;
  let signing = first.fingerprint;
  let trusted = first.published;

  async function lookAgain(): Promise<void> {
    const { found, fingerprint, published } = await look();
    if (published.join('') !== trusted.join('')) trusted = published;
    looksSinceFound = fingerprint === signing ? 0 : looksSinceFound + 1;
    const isAlone = published.length === 1;
    if (fingerprint === signing || (looksSinceFound <= looksUntilTrusted && !isAlone)) return;
    current = found;
    signing = fingerprint;
    looksSinceFound = 0;
    log.info({ authority: fingerprint }, 'Another authority signs the certificates of providers');
    for (const listener of listeners) listener();
  }

  async function keepLooking({ signal }: AbortController): Promise<void> {
    while (!signal.aborted) {
      await pause(lookMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await lookAgain().catch((thrown: unknown) =>
        log.warn({ error: thrown }, 'Reading the authority of providers failed; retrying'),
      );
    }
  }
  void keepLooking(stopping);

  return {
    get signing() {
      return signing;
    },
    get trusted() {
      return trusted;
    },
    async issue(wanted) {
      const { issueCertificate } = await library();
      return await issueCertificate(current, wanted, clock.now());
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: () => stopping.abort(),
  };
}

/** @returns the authorities of running pods, and of Deployments, which may start pods at any time */
export function authoritiesInUse({
  pods,
  deployments,
}: Pick<Caches, 'pods' | 'deployments'>): ReadonlySet<string> {
  const found = new Set<string>();
  const add = ({ annotations }: Partial<KubeObject['metadata']>) => {
    const authority = annotations?.[certificateAnnotation.authority];
    if (authority !== undefined) found.add(authority);
  };
  for (const { metadata } of pods.items()) add(metadata);
  for (const deployment of deployments.items()) add(templateOf(deployment));
  return found;
}

function templateOf({ spec }: Deployment): Partial<KubeObject['metadata']> {
  return spec?.template?.metadata ?? {};
}
