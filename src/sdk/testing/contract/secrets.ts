// A secret that a handler received must not be in an output that everybody may read.
import { marksOf, mask, secretsIn } from '../../../domain/secrets/marks.ts';
import { createSecretMask } from '../../../domain/secrets/mask-text.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { settingsSchemaOf } from '../../settings.ts';
import { asJson } from '../as-json.ts';
import type { ContractSubject } from './subject.ts';

export function checkSecrets(subject: ContractSubject, outputs: JsonObject): void {
  const { registration, found } = subject;
  if (registration?.outputs_schema === undefined) return;
  const secrets = createSecretMask(secretsOf(subject, registration.schema));
  const shownToAll = mask(marksOf(registration.outputs_schema), outputs) as JsonObject;
  for (const [name, value] of Object.entries(shownToAll)) {
    if (!secrets.isIn(JSON.stringify(value))) continue;
    found.add(
      `secret in outputs.${name}: expected none, saw a sensitive value that the handler got`,
    );
  }
}

function secretsOf(
  { kit: { provider, processes }, given }: ContractSubject,
  configSchema: JsonObject,
): readonly string[] {
  const ofConfig = secretsIn(marksOf(configSchema), asJson(given.config));
  const schema = settingsSchemaOf(provider);
  if (schema === undefined) return ofConfig;
  const { settings } = processes.current();
  return [...ofConfig, ...secretsIn(marksOf(schema), asJson(settings))];
}
