// Answers the requests of Fairlead besides events: a config in the newest form, and whether settings would work. They change nothing.
import { migrationFailed, settingsRefused, } from '../domain/event.js';
import { withoutFolder } from './crash/describe.js';
import { checkSettings, sentence } from './lifetime.js';
import { migratedConfig, versionOf } from './migrations/migrate.js';
import { isTerminalFailure } from './outcome.js';
import { failure } from './reply.js';
import { declaredSettings, parseSettings, settingValues, withoutSettings } from './settings.js';
export function isRequest(body) {
    const known = { MIGRATE: true, CHECK: true, LIST: true };
    return Object.hasOwn(known, body.event_type);
}
/** @returns the response of the protocol; never throws */
export async function answerRequest(provider, body, surroundings) {
    return body.event_type === 'MIGRATE'
        ? migrate(provider, body, surroundings)
        : await check(provider, body, surroundings);
}
function migrate({ types }, { resource, schema_version: version, config }, { codeFolder }) {
    const type = types.get(resource);
    if (type === undefined) {
        return failure(404, 'unknown_type', `This provider has no type ${resource}`);
    }
    try {
        const migrated = migratedConfig(type, { version, config });
        const sent = JSON.parse(JSON.stringify(migrated));
        return { status: 200, body: { config: sent, schema_version: versionOf(type) } };
    }
    catch (thrown) {
        // What is thrown besides is a value that JSON cannot represent.
        const said = isTerminalFailure(thrown)
            ? thrown.message
            : `The migrated config is not JSON: ${sentence(thrown)}`;
        return failure(422, migrationFailed, withoutFolder(said, codeFolder));
    }
}
async function check(provider, { settings, unchanged }, { settings: present, log, signal, codeFolder }) {
    const kept = Object.entries(present).filter(([name]) => unchanged.includes(name));
    const texts = new Map(Object.entries(settings));
    const values = {
        ...settingValues(declaredSettings(provider), texts),
        ...Object.fromEntries(kept),
    };
    try {
        const parsed = await parseSettings(provider, values);
        await checkSettings(provider, { settings: parsed, log, signal });
        return { status: 200, body: {} };
    }
    catch (thrown) {
        const said = withoutFolder(withoutSettings(provider, values, sentence(thrown)), codeFolder);
        return failure(422, settingsRefused, said);
    }
}
