// Resolves the fields of the downward API for a container. Pure.
import type { Container, FieldRef, Pod, ResourceFieldRef } from './pod.ts';
import { hostAddress } from './status.ts';

/** The resources of a container without limits: those of the machine. */
export interface Machine {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly storageBytes: number;
}

/** @returns undefined for a field that the downward API does not have */
export function podField(pod: Pod, ip: string, { fieldPath }: FieldRef): string | undefined {
  const { metadata, spec } = pod;
  const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(fieldPath);
  if (keyed !== null) {
    const [, of, key = ''] = keyed;
    return (of === 'labels' ? metadata.labels : metadata.annotations)?.[key] ?? '';
  }
  const fields: Readonly<Record<string, () => string>> = {
    'metadata.name': () => metadata.name,
    'metadata.namespace': () => metadata.namespace ?? '',
    'metadata.uid': () => metadata.uid ?? '',
    'metadata.labels': () => lines(metadata.labels),
    'metadata.annotations': () => lines(metadata.annotations),
    'spec.nodeName': () => spec.nodeName ?? '',
    'spec.serviceAccountName': () => spec.serviceAccountName ?? '',
    'status.hostIP': () => hostAddress,
    'status.hostIPs': () => hostAddress,
    'status.podIP': () => ip,
    'status.podIPs': () => ip,
  };
  return fields[fieldPath]?.();
}

function lines(of: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(of ?? {})
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort()
    .join('\n');
}

/** @returns undefined for an unknown resource */
export function containerResource(
  container: Container,
  machine: Machine,
  { resource, divisor }: ResourceFieldRef,
): string | undefined {
  const [, side = '', name = ''] = /^(limits|requests)\.(.+)$/.exec(resource) ?? [];
  const { limits, requests } = container.resources ?? {};
  const stated = side === 'limits' ? limits?.[name] : (requests?.[name] ?? limits?.[name]);
  const amount = stated === undefined ? ofMachine(name, machine) : quantity(stated);
  const unit = divisor === undefined || divisor === '0' ? 1 : quantity(divisor);
  if (amount === undefined || unit === undefined || unit === 0) return undefined;
  // Rounded up, as in Kubernetes; a millionth tolerates floating-point errors.
  return String(Math.ceil(amount / unit - 1e-6));
}

function ofMachine(name: string, machine: Machine): number | undefined {
  if (name === 'cpu') return machine.cpus;
  if (name === 'memory') return machine.memoryBytes;
  return name === 'ephemeral-storage' ? machine.storageBytes : undefined;
}

const powers: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Parses a Kubernetes quantity (`500m`, `1Gi`, `1e3`) as a number. @returns undefined if the text is none */
export function quantity(text: string): number | undefined {
  const [, figure, unit = ''] = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([A-Za-z]*)$/.exec(text) ?? [];
  const power = powers[unit];
  return figure === undefined || power === undefined ? undefined : Number(figure) * power;
}
