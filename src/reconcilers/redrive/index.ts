// Resends the dead letters of one redrive: one of each cause first, the rest after its success, at a steady pace.
import { allow, type Reconciler, type ScopedRules, settled } from '../../kube/api.ts';
import { type ActDeps, act, waitFor } from './act.ts';
import { decide } from './decide.ts';
import { createMemory } from './memory.ts';
import { type ObserveDeps, observe } from './observe.ts';

/** `npm run generate` generates roles from these. */
export const rules = {
  cluster: [
    allow(['list', 'watch'], '', ['configmaps']),
    allow(['get', 'list', 'watch', 'patch'], 'fairlead.dev', ['resources']),
  ],
  tenant: [allow(['get', 'create', 'update', 'delete'], '', ['configmaps'])],
} satisfies ScopedRules;

const defaultDeadLettersPerSecond = 50;
const betweenPassesMs = 200;

interface RedriveReconcilerDeps extends ObserveDeps, ActDeps {
  readonly client: ActDeps['client'];
  readonly redrives: ObserveDeps['redrives'] & ActDeps['redrives'];
  readonly deadLettersPerSecond?: number;
}

export function createRedriveReconciler(deps: RedriveReconcilerDeps): Reconciler {
  const { clock, deadLettersPerSecond = defaultDeadLettersPerSecond } = deps;
  const memory = createMemory();
  return {
    name: 'redrive',
    async reconcile(key) {
      const remembered = memory.of(key);
      const now = clock.monotonic();
      if (now < remembered.nextPassAt) return waitFor(remembered.nextPassAt - now, clock);
      const observed = await observe(key, deps, { remembered, now });
      if (observed === undefined) {
        memory.forget(key);
        return settled;
      }
      remembered.nextPassAt = now + betweenPassesMs;
      const budget = now < remembered.nextBatchAt ? 0 : deadLettersPerSecond;
      return act(decide({ ...observed, budget }), observed, { deps, remembered });
    },
  };
}
