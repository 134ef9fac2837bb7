// The event protocol between Fairlead and providers as data: CloudEvents 1.0 attributes, bodies and answers. The SDK shares
// this file; it imports only JSON types, so that providers ship no code of ours.
import { createHash } from 'node:crypto';
/** OBSERVE is claimed for an import alone; any other observation is neither claimed nor recorded, because it only reads. */
export const eventTypes = ['CREATE', 'UPDATE', 'DELETE', 'OBSERVE'];
/** CANCEL asks the provider to end the work on another event. Only the other types are claimed and recorded. */
export const deliveredTypes = [...eventTypes, 'CANCEL'];
export const cloudEventType = {
    CREATE: 'dev.fairlead.resource.create',
    UPDATE: 'dev.fairlead.resource.update',
    DELETE: 'dev.fairlead.resource.delete',
    OBSERVE: 'dev.fairlead.resource.observe',
    CANCEL: 'dev.fairlead.resource.cancel',
};
/** @returns the code of a failure as it is recorded: codes become labels of metrics, and have no other characters */
export function plainCode(code) {
    return code.replace(/[^A-Za-z0-9_.-]/g, '_');
}
/** How long a handler may run, from the start of a delivery to its answer, unless its type declares another limit. */
export const defaultTimeoutSeconds = 30;
/** The longest limit of a type. Work that takes longer answers 202 and is polled. */
export const maxTimeoutSeconds = 3_600;
/** The largest outputs of one resource, in bytes of compact JSON. */
export const maxOutputsBytes = 262_144;
/** The largest answer of a provider, in bytes. */
export const maxAnswerBytes = 512 * 1_024;
/** The largest `context`, as JSON. */
export const maxContextBytes = 16 * 1_024;
/** Limits of `log`; of more, the oldest lines are dropped. */
export const maxLogLines = 50;
export const maxLogBytes = 16 * 1_024;
/** A longer line is cut. */
export const maxLogLineBytes = 2_048;
export const eventIssuer = 'fairlead';
export function eventAudience(organizationId, provider) {
    return `provider:${organizationId}/${provider}`;
}
/**
 * The identity of an event and its idempotency key: the same for every attempt and every retry.
 * @param uid uid of the Kubernetes object  @param generation `metadata.generation` when it was claimed
 * @param content hash of the content: after a restore of etcd, generations repeat with other contents
 */
export function eventId({ uid, generation, content }, type) {
    const source = `${uid}/${generation}/${type}/${content}`;
    const digest = createHash('sha256').update(source).digest('hex');
    return `evt-${digest.slice(0, 32)}`;
}
/** @returns the identity of the CANCEL of an event */
export function cancelId(event) {
    const digest = createHash('sha256').update(`${event}/CANCEL`).digest('hex');
    return `evt-${digest.slice(0, 32)}`;
}
/** Requests besides events: signed like them, to the same address, without retries. A provider that lacks one answers 4xx. */
export const requestTypes = ['MIGRATE', 'CHECK', 'LIST'];
export const cloudRequestType = {
    OBSERVE: cloudEventType.OBSERVE,
    MIGRATE: 'dev.fairlead.type.migrate',
    CHECK: 'dev.fairlead.provider.check',
    LIST: 'dev.fairlead.resource.list',
};
/** Code of the 422 with which a provider refuses to migrate a config: it does not fit, or the step failed. */
export const migrationFailed = 'migration_failed';
/** Code of the 422 with which a provider refuses settings. */
export const settingsRefused = 'settings_refused';
/** The most items of one page. */
export const maxListedItems = 1_000;
/** Characters of the cursor of a page. */
export const maxListCursorLength = 4_096;
