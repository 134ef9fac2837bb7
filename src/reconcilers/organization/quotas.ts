// Pure. Builds the ResourceQuota of a tenant namespace and the LimitRange for its containers.
import type { Limits } from '../../domain/limits.ts';
import { containerMax } from '../../domain/providers/pod-resources.ts';
import type { Guard } from './guard-kinds.ts';

/**
 * @param counted maximum number of Resource objects that Kubernetes admits, from any writer. Only on request: for
 * minutes after the definitions are installed, Kubernetes cannot count them and rejects all.
 */
export function resourceQuota(limits: Limits, counted?: number): Guard {
  const cpu = canonical(limits.cpu);
  const memory = canonical(limits.memory);
  const storage = canonical(limits.ephemeralStorage);
  const hard = {
    pods: canonical(limits.pods),
    'count/jobs.batch': canonical(limits.jobs),
    // Histories of resources must take no room from dead letters, without which nothing fails.
    'count/configmaps': canonical(limits.configMaps + limits.resources),
    'limits.cpu': cpu,
    'requests.cpu': cpu,
    'limits.memory': memory,
    'requests.memory': memory,
    'limits.ephemeral-storage': storage,
    'requests.ephemeral-storage': storage,
    ...(counted === undefined ? {} : { 'count/resources.fairlead.dev': canonical(counted) }),
  };
  return { of: 'resourceQuota', name: 'fairlead', content: { spec: { hard } } };
}

/** Our containers set their own requests; these apply to foreign containers beside them. */
export function limitRange(): Guard {
  const limits = [
    {
      type: 'Container',
      default: { cpu: '1', memory: '512Mi', 'ephemeral-storage': '1Gi' },
      defaultRequest: { cpu: '50m', memory: '64Mi', 'ephemeral-storage': '64Mi' },
      max: { ...containerMax, 'ephemeral-storage': '32Gi' },
    },
  ];
  return { of: 'limitRange', name: 'fairlead', content: { spec: { limits } } };
}

const decimal = { step: 1_000, units: ['', 'k', 'M', 'G'] };
const binary = { step: 1_024, units: ['Mi', 'Gi', 'Ti', 'Pi'] };

/** The API server's canonical form: any other would read as a change of the quota, for ever. */
export function canonical(quantity: string | number): string {
  const { step, units } = typeof quantity === 'number' ? decimal : binary;
  let amount = Number.parseInt(`${quantity}`, 10);
  let unit = typeof quantity === 'number' ? 0 : units.indexOf(quantity.slice(-2));
  while (amount % step === 0 && unit < units.length - 1) {
    amount /= step;
    unit += 1;
  }
  return `${amount}${units[unit] ?? ''}`;
}
