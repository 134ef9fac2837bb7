// The values that the promises of a contract share: the type, its case, and new resources of it.
import { asJson } from '../../as-json.js';
import { virtualPauseMs } from '../kit/clock.js';
import { createLife } from '../life.js';
import { observed } from '../observe.js';
import { registrationOf } from './schemas.js';
/** Pauses on the real clock, as those of `checkType`. */
const realPauseMs = 1_000;
export function createSubject(kit, type, { given, found }) {
    const { provider } = kit;
    const { config, changed, cancelMs } = given;
    const sent = changed === undefined ? [config] : [config, changed];
    const common = {
        organization: kit.organization,
        config: asJson(config),
        changed: changed && asJson(changed),
        found,
        process: kit.processes.current,
        log: kit.log,
        cancelMs,
        maximumDelayMs: kit.clock === 'virtual' ? virtualPauseMs : realPauseMs,
    };
    return {
        kit,
        type,
        registration: registrationOf(provider, type.name),
        given,
        found,
        resource: (differing) => createLife(provider, type, { ...common, ...differing }),
        watchedResource: () => createLife(observed(provider, type, { sent, found }), type, common),
        observe: async ({ organization, name }) => await given.observe?.({ organization, name }),
    };
}
