// Sends dead letters again for one redrive: one letter of each cause first, the rest when that went well, at a steady pace.
import { type PolicyRule, type Reconciler, settled, waitUntil } from '../../kube/api.ts';
import { type ActDeps, act } from './act.ts';
import { decide } from './decide.ts';
import { createMemory } from './memory.ts';
import { type ObserveDeps, observe } from './observe.ts';

/** `npm run generate` copies these into manifests and chart. */
export const rules = [
  {
    apiGroups: [''],
    resources: ['configmaps'],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'delete'],
  },
  {
    apiGroups: ['fairlead.dev'],
    resources: ['resources'],
    verbs: ['get', 'list', 'watch', 'patch'],
  },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
] satisfies readonly PolicyRule[];

export const defaultLettersPerSecond = 50;
const betweenPassesMs = 200;

export interface RedriveReconcilerDeps extends ObserveDeps, ActDeps {
  readonly client: ActDeps['client'];
  readonly redrives: ObserveDeps['redrives'] & ActDeps['redrives'];
  readonly lettersPerSecond?: number;
}

export function createRedriveReconciler(deps: RedriveReconcilerDeps): Reconciler {
  const { clock, lettersPerSecond = defaultLettersPerSecond } = deps;
  const memory = createMemory();
  return {
    name: 'redrive',
    async reconcile(key) {
      const remembered = memory.of(key);
      const now = clock.now();
      if (now.getTime() < remembered.nextPassAt) return waitUntil(new Date(remembered.nextPassAt));
      const observed = await observe(key, deps, { remembered, now });
      if (observed === undefined) {
        memory.forget(key);
        return settled;
      }
      remembered.nextPassAt = now.getTime() + betweenPassesMs;
      const budget = now.getTime() < remembered.nextBatchAt ? 0 : lettersPerSecond;
      return act(decide({ ...observed, budget }), observed, { deps, remembered });
    },
  };
}
