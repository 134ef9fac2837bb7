const known = new WeakMap();
/**
 * @returns the same object for the same type, which is never mutated
 * @example typeSchemas({ schema, outputsSchema }) // { config: [schema], outputs: [outputsSchema] }
 */
export function typeSchemas(type) {
    const before = known.get(type);
    if (before !== undefined)
        return before;
    const { schema, outputsSchema, earlierVersions = [] } = type;
    const outputs = [outputsSchema, ...earlierVersions.map((each) => each.outputsSchema)];
    const config = [schema ?? {}, ...earlierVersions.map((each) => each.schema)];
    const isThere = (each) => each != null;
    const schemas = { config: config.filter(isThere), outputs: outputs.filter(isThere) };
    known.set(type, schemas);
    return schemas;
}
/** For what has no outputs. */
export function configOnly(schema) {
    return schema && { config: [schema], outputs: [] };
}
