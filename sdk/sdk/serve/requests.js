// Answers the requests of Fairlead besides events: a config in the newest form, whether settings would work, and which objects exist.
// They change nothing.
import { migrationFailed, settingsRefused, } from '../../domain/event.js';
import { withoutFolder } from '../crash/describe.js';
import { migratedConfig, versionOf } from '../migrations/migrate.js';
import { listPage } from '../observation/list.js';
import { isTerminalFailure } from '../outcome.js';
import { declaredSettings, parseSettings, settingValues, withoutSettings } from '../settings.js';
import { checkSettings, problemLine } from './lifetime.js';
import { failure } from './reply.js';
import { thrownReply } from './thrown-reply.js';
export function isRequest(body) {
    const known = { MIGRATE: true, CHECK: true, LIST: true };
    return Object.hasOwn(known, body.event_type);
}
/** @returns the response of the protocol; never throws */
export async function answerRequest(provider, body, surroundings) {
    switch (body.event_type) {
        case 'MIGRATE':
            return migrateReply(provider, body, surroundings);
        case 'CHECK':
            return await checkGivenSettings(provider, body, surroundings);
        case 'LIST':
            return await listExisting(provider, body, surroundings);
    }
}
function migrateReply({ types }, { resource, schema_version: version, config }, { codeFolder }) {
    const type = types.get(resource);
    if (type === undefined)
        return noType(resource);
    try {
        const migrated = migratedConfig(type, { version, config });
        const sent = JSON.parse(JSON.stringify(migrated));
        return { status: 200, body: { config: sent, schema_version: versionOf(type) } };
    }
    catch (thrown) {
        // Anything else that is thrown is a value that JSON cannot represent.
        const said = isTerminalFailure(thrown)
            ? thrown.message
            : `The migrated config is not JSON: ${problemLine(thrown)}`;
        return failure(422, migrationFailed, withoutFolder(said, codeFolder));
    }
}
function noType(resource) {
    return failure(404, 'unknown_type', `This provider has no type ${resource}`);
}
async function listExisting({ types }, body, surroundings) {
    const type = types.get(body.resource);
    if (type === undefined)
        return noType(body.resource);
    try {
        return { status: 200, body: await listPage(type, body, surroundings) };
    }
    catch (thrown) {
        return thrownReply(thrown, surroundings, 'The handler list failed');
    }
}
async function checkGivenSettings(provider, { settings, unchanged }, { given: present, log, signal, codeFolder }) {
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
        const said = withoutFolder(withoutSettings(provider, values, problemLine(thrown)), codeFolder);
        return failure(422, settingsRefused, said);
    }
}
