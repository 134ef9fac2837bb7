const callMembers = {
    config: true,
    previousConfig: true,
    outputs: true,
    settings: true,
    key: true,
    operationKey: true,
    signal: true,
    log: true,
    organization: true,
    project: true,
    resource: true,
    name: true,
    attempt: true,
    sequence: true,
    context: true,
    traceparent: true,
    progress: true,
    adopt: true,
    cursor: true,
};
/** @returns whether every handler has a member of the name in its argument already */
export function isCallMember(name) {
    return Object.hasOwn(callMembers, name);
}
