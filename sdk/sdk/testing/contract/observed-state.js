// Compares what exists in the backing service before and after a step that must change nothing.
import { shown } from '../findings.js';
import { same } from '../kit/late.js';
/** Reports a difference; without `observe`, nothing. @returns whether nothing differs */
export async function expectUnchanged({ observe, found }, resource, { step, before }) {
    const after = await observe(resource);
    if (same(before, after))
        return true;
    found.add(`${step}: expected that nothing changes, saw ${shown(before)} become ${shown(after)}`);
    return false;
}
