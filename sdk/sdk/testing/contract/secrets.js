// A secret that a handler received must not be in an output that everybody may read.
import { marksOf, mask, secretsIn } from '../../../domain/secrets/marks.js';
import { createSecretMask } from '../../../domain/secrets/mask-text.js';
import { settingsSchemaOf } from '../../settings.js';
import { asJson } from '../as-json.js';
export function checkSecrets(subject, outputs) {
    const { registration, found } = subject;
    if (registration?.outputs_schema === undefined)
        return;
    const secrets = createSecretMask(secretsOf(subject, registration.schema));
    const shownToAll = mask(marksOf(registration.outputs_schema), outputs);
    for (const [name, value] of Object.entries(shownToAll)) {
        if (!secrets.isIn(JSON.stringify(value)))
            continue;
        found.add(`secret in outputs.${name}: expected none, saw a sensitive value that the handler got`);
    }
}
function secretsOf({ kit: { provider, processes }, given }, configSchema) {
    const ofConfig = secretsIn(marksOf(configSchema), asJson(given.config));
    const schema = settingsSchemaOf(provider);
    if (schema === undefined)
        return ofConfig;
    const { settings } = processes.current();
    return [...ofConfig, ...secretsIn(marksOf(schema), asJson(settings))];
}
