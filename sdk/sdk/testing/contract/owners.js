import { shown } from '../findings.js';
import { same } from '../kit/late.js';
import { newKey, updateOf } from '../life.js';
import { expectUnchanged } from './observed-state.js';
export async function checkOrganizations(subject) {
    const own = subject.resource();
    const outputs = await created(own);
    if (outputs === undefined)
        return;
    const before = await subject.observe(own);
    await createForeign(subject, { own, outputs, is: 'organization' });
    const step = 'update after another organization used the same name';
    await expectUnchanged(subject, own, { step, before });
    const next = await own.send(updateOf(own, { outputs }));
    subject.found.same(step, next, outputs);
    await own.send({ event_type: 'DELETE', outputs });
}
export async function checkProjects(subject) {
    const own = subject.resource();
    const outputs = await created(own);
    if (outputs === undefined)
        return;
    await createForeign(subject, { own, outputs, is: 'project' });
    await own.send({ event_type: 'DELETE', outputs });
}
async function createForeign(subject, owned) {
    const { own, is } = owned;
    const owner = is === 'project' ? { project_id: 'another' } : { organization_id: `${own.organization}-2` };
    const foreign = subject.resource({ name: own.name });
    const ending = await foreign.send({ ...owner, event_id: newKey() });
    if (ending.kind === 'succeeded') {
        await compareWithControl(subject, owned, ending.outputs);
        await foreign.send({ ...owner, event_type: 'DELETE', outputs: ending.outputs });
    }
    else if (ending.kind === 'failed' && !ending.terminal) {
        // A name that all owners share may be taken. Another attempt does not change that.
        subject.found.add(`create of a name that is taken, in another ${is}: expected success, or fail('already_exists'), saw a retryable failure, ${ending.code}: ${ending.message}`);
    }
}
/** Values that the provider generates for each resource must differ between the two. */
async function compareWithControl({ resource, found }, { own, outputs, is }, theirs) {
    const control = resource();
    const others = await created(control);
    if (others === undefined)
        return;
    const renamed = JSON.parse(JSON.stringify(others).replaceAll(control.name, own.name));
    for (const [name, value] of Object.entries(outputs)) {
        const isGenerated = !same(value, renamed[name]);
        if (!isGenerated || !same(value, theirs[name]))
            continue;
        found.add(`create in another ${is} with the same name: expected another outputs.${name}, saw that of the first, ${shown(value)}`);
    }
    await control.send({ event_type: 'DELETE', outputs: others });
}
async function created(life) {
    const ending = await life.send({ event_id: newKey() });
    return ending.kind === 'succeeded' ? ending.outputs : undefined;
}
