import { updateOf } from '../life.js';
export async function checkReplacement({ resource, found, given }) {
    const life = resource();
    const { config, changed } = life;
    if (changed === undefined)
        return;
    const created = await life.send({});
    if (created.kind !== 'succeeded')
        return;
    const { outputs } = created;
    const there = await life.send(updateOf(life, { outputs, config: changed }));
    if (there.kind === 'succeeded') {
        const back = await life.send(updateOf(life, { outputs: there.outputs, previous: changed, config }));
        // Some changes cannot be undone, such as a growth.
        if (back.kind === 'succeeded') {
            const [before, after] = [outputs, back.outputs].map(lasting(given.volatile));
            const ending = { kind: 'succeeded', outputs: after ?? {} };
            found.same('update to `changed`, and back', ending, before);
        }
        await life.send({
            event_type: 'DELETE',
            outputs: back.kind === 'succeeded' ? back.outputs : there.outputs,
        });
    }
    else
        await life.send({ event_type: 'DELETE', outputs });
}
function lasting(volatile = []) {
    return (outputs) => Object.fromEntries(Object.entries(outputs).filter(([name]) => !volatile.includes(name)));
}
