// Pure. Predicts how large a resource becomes in etcd, so that what cannot be stored in the end is refused before it is stored
// or sent: the config twice, as declared and as applied, and the outputs.
import type { Resource } from '../../../crds/resource.ts';
import { maxOutputsBytes } from '../../../domain/event.ts';
import { referencesIn } from '../../../domain/references/references.ts';
import { fieldBytes, maxStoredBytes, storedBytes } from '../../../domain/stored-size.ts';
import type { JsonObject } from '../../../lib/json.ts';

/** Conditions, event, times and places of secrets of a success. */
const successBytes = 16_384;
/** An error, in three conditions as well, the errors of all attempts, and the context of an unfinished operation. */
const failureBytes = 235_520;

/** @returns the bytes that a config takes once more when it was applied; at least, if references are not resolved yet */
export function appliedBytes(config: JsonObject): number {
  let bytes = storedBytes(config);
  for (const { text } of referencesIn(config)) bytes -= storedBytes(text);
  return bytes;
}

/**
 * @param applied bytes of the config that is sent
 * @returns why the next event of a resource cannot be recorded; undefined when every success and every failure fits
 */
export function refusalToStore(resource: Resource, applied: number): string | undefined {
  const { outputs, appliedConfig, ...status } = resource.status ?? {};
  const before = storedBytes(outputs) + storedBytes(appliedConfig);
  // The room for a failure includes the errors of earlier attempts.
  const recorded = storedBytes(resource.status?.event?.errors);
  const fixed =
    storedBytes({ ...resource, status }) -
    recorded +
    // Objects of earlier definitions may have a record of owners of single members.
    fieldBytes(resource.spec.config as JsonObject);
  const success = fixed + applied + maxOutputsBytes + successBytes;
  const bytes = Math.max(success, fixed + before + failureBytes);
  if (bytes <= maxStoredBytes) return undefined;
  return `The config is too large to be stored: the resource may need ${bytes} bytes of at most ${maxStoredBytes}. The config is stored twice, as declared and as applied, beside up to ${maxOutputsBytes} bytes of outputs, and each <, > and & in it takes 6 bytes. Make the config smaller, or refer to smaller outputs`;
}
