// Checks what Fairlead expects of a type: today's promises about one resource, and those that involve a second resource, a second
// process, a second organization and project, late deliveries, secrets and an unreachable service.
import { isUsable, unknownType } from '../case.js';
import { findings } from '../findings.js';
import { checkLife } from '../life-promises.js';
import { adviceFor } from './advice.js';
import { checkEarlierVersions } from './earlier-versions.js';
import { checkLateDeliveries } from './late-deliveries.js';
import { checkObservation } from './observation.js';
import { checkOrganizations, checkProjects } from './owners.js';
import { checkRepetition } from './repetition.js';
import { checkReplacement } from './replacement.js';
import { schemaProblems } from './schemas.js';
import { checkSecrets } from './secrets.js';
import { createSubject, } from './subject.js';
import { checkTogether } from './together.js';
import { checkUnreachable } from './unreachable.js';
/** The promises of resources that can be created. */
const promises = [
    checkRepetition,
    checkReplacement,
    checkLateDeliveries,
    checkTogether,
    checkOrganizations,
    checkProjects,
    checkObservation,
];
/** @throws AggregateError with one Error for each broken promise */
export async function contract(kit, typeName, given) {
    const { provider } = kit;
    const found = findings(`Type ${typeName} of provider ${provider.name}`, adviceFor);
    await check(kit, typeName, { given, found });
    found.throwIfAny();
}
async function check(kit, typeName, { given, found }) {
    const type = kit.provider.types.get(typeName);
    if (type === undefined)
        return found.add(unknownType(kit.provider, typeName));
    if (!isUsable(kit.provider, type, { given, found }))
        return;
    const subject = createSubject(kit, type, { given, found });
    for (const problem of schemaProblems(kit.provider, typeName))
        found.add(problem);
    const created = await checkLife(subject.watchedResource());
    if (created !== undefined) {
        checkSecrets(subject, created);
        for (const promise of promises)
            await promise(subject);
    }
    await checkEarlierVersions(subject);
    await checkUnreachable(subject);
}
