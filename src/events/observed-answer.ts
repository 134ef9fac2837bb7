// Reads the answer to an OBSERVE. Pure. Only the explicit answer means that an object is gone.
import { maxOutputsBytes } from '../domain/event.ts';
import { isTypeVersion } from '../domain/type-version.ts';
import { isJsonObject, type JsonObject, jsonBytes, withoutUndefined } from '../lib/json.ts';
import { retryable, terminal } from './failures.ts';
import type { Answer } from './protocol.ts';
import { valueProblem } from './values.ts';

/** @param body undefined when it is no JSON object */
export function observedAnswer(status: number, body: JsonObject | undefined): Answer {
  const { exists, config, outputs } = (status === 202 ? undefined : body) ?? {};
  if (exists === false) return { kind: 'observed', exists };
  if (exists !== true || !isJsonObject(config) || !isJsonObject(outputs)) {
    const expected = '{"exists":true,"config":{…},"outputs":{…}} or {"exists":false}';
    return retryable(
      'INVALID_ANSWER',
      `The provider answered ${status} to an OBSERVE; expected 200 with ${expected}`,
    );
  }
  const versions = versionsIn(body);
  const values = [config, outputs, versions.declared ?? {}];
  const problem = values.map((value) => valueProblem(value)).find((each) => each !== undefined);
  if (problem !== undefined) {
    return terminal('INVALID_OUTPUTS', `The observed values contain ${problem}`);
  }
  if (values.some((value) => jsonBytes(value) > maxOutputsBytes)) {
    const message = `The observed config or outputs are larger than ${maxOutputsBytes} bytes`;
    return terminal('OUTPUTS_TOO_LARGE', message);
  }
  return { kind: 'observed', exists, config, outputs, ...versions };
}

function versionsIn({ schema_version, outputs_schema_version, declared }: JsonObject = {}) {
  return withoutUndefined({
    schemaVersion: isTypeVersion(schema_version) ? schema_version : undefined,
    outputsTypeVersion: isTypeVersion(outputs_schema_version) ? outputs_schema_version : undefined,
    declared: isJsonObject(declared) ? declared : undefined,
  }) as { schemaVersion?: number; outputsTypeVersion?: number; declared?: JsonObject };
}
