// Pure. CPU and memory of the container that serves a provider, as quantities of Kubernetes, and the rules for them.
import { type Limits, quantityBytes } from '../limits.ts';

export interface Amounts {
  readonly cpu?: string | undefined;
  readonly memory?: string | undefined;
}

/** As in a container of Kubernetes; what is absent has a default. */
export interface PodResources {
  readonly requests?: Amounts | undefined;
  readonly limits?: Amounts | undefined;
}

/** Whole or decimal CPUs, or thousandths: `2`, `0.5`, `500m`. Without 0. */
export const cpuPattern =
  /^(?:[1-9][0-9]{0,3}(?:\.[0-9]{1,3})?|0\.(?:[1-9][0-9]{0,2}|0[1-9][0-9]?|00[1-9])|[1-9][0-9]{0,6}m)$/;
export const memoryPattern = /^[1-9][0-9]{0,6}(?:Mi|Gi)$/;

export const defaultAmounts = {
  requests: { cpu: '50m', memory: '64Mi' },
  limits: { cpu: '1', memory: '512Mi' },
} as const;

/** The LimitRange of every tenant namespace has these. */
export const containerMax = { cpu: '8', memory: '16Gi' } as const;

export const replicasRange = { min: 1, max: 10 } as const;

const names = ['cpu', 'memory'] as const;
type Name = (typeof names)[number];

/** CPU in thousandths, memory in bytes. */
const sizeOf: Readonly<Record<Name, (quantity: string) => number>> = {
  cpu: (text) =>
    text.endsWith('m') ? Number.parseInt(text, 10) : Math.round(Number(text) * 1_000),
  memory: quantityBytes,
};

/** @returns requests and limits with the defaults; a default request is at most the limit */
export function amountsOf({ requests, limits }: PodResources = {}) {
  const limit = (name: Name) => limits?.[name] ?? defaultAmounts.limits[name];
  const request = (name: Name) => {
    const given = requests?.[name];
    if (given !== undefined) return given;
    const standard = defaultAmounts.requests[name];
    return sizeOf[name](standard) > sizeOf[name](limit(name)) ? limit(name) : standard;
  };
  return {
    requests: { cpu: request('cpu'), memory: request('memory') },
    limits: { cpu: limit('cpu'), memory: limit('memory') },
  };
}

export interface Sizing {
  readonly replicas: number;
  readonly resources: PodResources | undefined;
}

interface SizingProblem {
  readonly at: readonly string[];
  readonly rule: string;
}

/** @param max limits of the organization, for all of its pods */
export function sizingProblems(sizing: Sizing, max: Limits): readonly SizingProblem[] {
  return [...tooManyPods(sizing, max), ...names.flatMap((name) => problemsWith(name, sizing, max))];
}

function tooManyPods({ replicas }: Sizing, { pods }: Limits): readonly SizingProblem[] {
  if (replicas <= pods) return [];
  const rule = `must be at most ${pods}, the pods that the organization may have; lower it, or ask the administrator to raise limits.pods of the organization`;
  return [{ at: ['replicas'], rule }];
}

function problemsWith(
  name: Name,
  { replicas, resources }: Sizing,
  max: Limits,
): readonly SizingProblem[] {
  const { requests, limits } = amountsOf(resources);
  const size = sizeOf[name];
  const limit = size(limits[name]);
  const isGiven = resources?.limits?.[name] !== undefined;
  const at = ['resources', 'limits', name];
  if (limit > size(containerMax[name])) {
    return [{ at, rule: `must be at most ${containerMax[name]}; lower it, and set more replicas` }];
  }
  if (size(requests[name]) > limit) {
    const rule = `must be at most the limit, ${limits[name]}; lower it, or set resources.limits.${name}`;
    return [{ at: ['resources', 'requests', name], rule }];
  }
  const all = `${max[name]}`;
  if (replicas * limit <= size(all)) return [];
  const what = `the limit of ${limits[name]} in each of ${replicas} pods exceeds ${all}, which the organization has for all pods`;
  const rule = `${what}; lower it, or ask the administrator to raise limits.${name} of the organization`;
  return [{ at: isGiven ? at : ['replicas'], rule }];
}
