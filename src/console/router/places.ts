// Where in the console a step is taken that the API advises. Pure.
import type { ExplanationLink, NextStep } from '../../api/shapes.ts';
import { parseResourceAddress } from '../../domain/identity.ts';
import type { PageName } from '../pages/index.ts';
import type { Query } from './route.ts';

interface PageAddress {
  readonly page: PageName;
  readonly path?: readonly string[];
  readonly query?: Query;
}

const places: Readonly<Record<string, (step: NextStep) => PageAddress | undefined>> = {
  apply: (step) => ofResource(step, 'config'),
  apply_actual: (step) => ofResource(step),
  correct: (step) => ofResource(step),
  observe: (step) => ofResource(step),
  release_corrections: (step) => providerAddress(step),
  edit: (step) => ofResource(step, 'config'),
  explain: (step) => ofResource(step),
  read_dead_letter: ({ cause }) => ({ page: 'dead-letters', query: { cause } }),
  push: (step) => providerAddress(step),
  set_settings: (step) => providerAddress(step, 'settings'),
  retry_dead_letters: ({ cause }) => ({ page: 'dead-letters', query: { cause } }),
  read_logs: (step) => ofResource(step, 'events') ?? providerAddress(step, 'logs'),
  read_build_logs: (step) => providerAddress(step, 'build'),
  deploy: (step) => providerAddress(step),
  rollback: (step) => providerAddress(step),
  register_type: () => ({ page: 'types' }),
  delete: (step) => ofResource(step),
  force_delete: (step) => ofResource(step),
  orphan: (step) => ofResource(step),
  replace: (step) => ofResource(step, 'config'),
  resume: (step) => ofResource(step),
  unprotect: (step) => ofResource(step),
  delete_users: (step) => ofResource(step, 'uses'),
};

/** @returns undefined for a step that is not taken in the console, such as waiting */
export function placeFor(step: NextStep): PageAddress | undefined {
  return places[step.do]?.(step);
}

function ofResource({ resource = '' }: NextStep, show?: string): PageAddress | undefined {
  const path = resourcePath(resource);
  return path && { page: 'resource', path, query: { show } };
}

function providerAddress(
  { provider, job_name: job }: NextStep,
  show?: string,
): PageAddress | undefined {
  return provider === undefined
    ? undefined
    : { page: 'providers', path: [provider], query: { show, job } };
}

/** @returns the page of a link in a chain; undefined for what has none */
export function placeOfLink({ kind, ref, state }: ExplanationLink): PageAddress | undefined {
  if (kind === 'provider' || kind === 'deployment') return { page: 'providers', path: [ref] };
  if (kind === 'type') return { page: 'types', path: ref.split('/') };
  const path = kind === 'resource' && state !== 'missing' ? resourcePath(ref) : undefined;
  return path && { page: 'resource', path };
}

/** @param ref `provider/type/name`. @returns its parts, for the address of its page; undefined for another text */
function resourcePath(ref: string): readonly string[] | undefined {
  const tuple = parseResourceAddress(ref)?.tuple;
  return tuple && [tuple.provider, tuple.resource, tuple.name];
}
