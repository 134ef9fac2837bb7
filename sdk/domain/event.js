// The event protocol between Fairlead and providers, as data: CloudEvents 1.0 attributes, bodies and answers.
// The SDK shares this file; it imports nothing but JSON types so that providers carry nothing of ours.
import { createHash } from 'node:crypto';
export const eventTypes = ['CREATE', 'UPDATE', 'DELETE'];
export const cloudEventType = {
    CREATE: 'dev.fairlead.resource.create',
    UPDATE: 'dev.fairlead.resource.update',
    DELETE: 'dev.fairlead.resource.delete',
};
export const eventIssuer = 'fairlead';
export function eventAudience(organizationId, provider) {
    return `provider:${organizationId}/${provider}`;
}
/**
 * The identity of an event and its idempotency key: the same for every attempt and every retry.
 * @param uid uid of the Kubernetes object  @param generation `metadata.generation` when it was claimed
 */
export function eventId(uid, generation, type) {
    const digest = createHash('sha256').update(`${uid}/${generation}/${type}`).digest('hex');
    return `evt-${digest.slice(0, 32)}`;
}
