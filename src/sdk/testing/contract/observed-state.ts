// Compares what exists in the backing service before and after a step that must change nothing.
import { shown } from '../findings.ts';
import { same } from '../kit/late.ts';
import type { Life } from '../life.ts';
import type { ContractSubject } from './subject.ts';

/** Reports a difference; without `observe`, nothing. @returns whether nothing differs */
export async function expectUnchanged(
  { observe, found }: ContractSubject,
  resource: Life,
  { step, before }: { readonly step: string; readonly before: unknown },
): Promise<boolean> {
  const after = await observe(resource);
  if (same(before, after)) return true;
  found.add(`${step}: expected that nothing changes, saw ${shown(before)} become ${shown(after)}`);
  return false;
}

/** Expects as many objects as before, where the case observes a list of them: a create that is repeated may replace its object. */
export async function expectAsMany(
  { observe, found }: ContractSubject,
  resource: Life,
  { step, before }: { readonly step: string; readonly before: unknown },
): Promise<void> {
  const after = await observe(resource);
  if (!(Array.isArray(before) && Array.isArray(after)) || before.length === after.length) return;
  found.add(
    `${step}: expected as many objects as before, saw ${shown(before)} become ${shown(after)}`,
  );
}
