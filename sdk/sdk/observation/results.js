// The results of `observe` and `list`.
// Members of a config may have any name, so a symbol identifies a `Gone`. A provider may have a bundled copy of this file.
const mark = Symbol.for('fairlead.gone');
/**
 * Says that the object does not exist. Return it from `observe` only when the backing service has said so: when it does not answer,
 * or refuses to, throw an error. Nothing else counts as gone.
 *
 * @returns what `observe` returns
 * @example
 * ```ts
 * async observe({ adopt, outputs, organization, name }) {
 *   const found = await cloud.find(adopt?.id ?? outputs.id ?? tagOf(organization, name));
 *   if (found === undefined) return gone();
 *   return { config: { size: found.size }, outputs: { url: found.url } };
 * }
 * ```
 */
export function gone() {
    return { [mark]: true };
}
export function isGone(value) {
    return typeof value === 'object' && value !== null && mark in value;
}
