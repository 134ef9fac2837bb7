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
