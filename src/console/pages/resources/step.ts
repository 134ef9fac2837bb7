// Where the console carries out a step that the API advises. Pure.
import type { NextStep } from '../../../cli/api/bodies.ts';
import { hrefTo } from '../../router/route.ts';

/** @returns the address of the page; undefined for a step that is taken elsewhere, or by waiting */
export function hrefOfStep(step: NextStep): string | undefined {
  const { provider, resource, cause, job_name: job } = step;
  switch (step.do) {
    case 'retry_dead_letters':
      return hrefTo('dead-letters', [], { cause });
    case 'read_logs':
      return provider && hrefTo('providers', [provider], { show: 'logs', resource });
    case 'read_build_logs':
      return provider && hrefTo('providers', [provider], job ? { show: 'build', job } : {});
    case 'deploy':
    case 'rollback':
      return provider && hrefTo('providers', [provider]);
    case 'apply':
    case 'delete':
    case 'force_delete':
    case 'delete_users':
      return resource && hrefTo('resource', resource.split('/'));
    case 'register_type':
      return hrefTo('types');
    default:
      return undefined;
  }
}
