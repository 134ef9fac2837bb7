import { compared } from '../compared.js';
/** @throws Error when nothing was observed */
export function observedObject(type, taken, declared) {
    if (taken.kind === 'later') {
        throw new Error(`observe asked to wait: ${taken.progress?.message ?? 'without a message'}`);
    }
    if (taken.kind === 'failed') {
        throw new Error(`observe failed with ${taken.code}: ${taken.message}`, { cause: taken.thrown });
    }
    const { observed } = taken;
    if (observed?.exists !== true)
        return { exists: false };
    const { config, outputs } = observed;
    const { changes } = compared(type, { declared: observed.declared ?? declared, actual: config });
    return {
        exists: true,
        config,
        outputs,
        changes: changes.map(({ path, declared: wanted, actual }) => ({
            path,
            declared: wanted,
            actual,
        })),
    };
}
export const notFound = {
    state: 'failed',
    code: 'NOT_FOUND',
    message: 'No object was found for the import: observe returned gone()',
};
