/** @returns the fields that break a schema, and how */
export function issueText(error) {
    return error.issues
        .slice(0, 5)
        .map((issue) => `${issue.path.join('.') || 'value'}: ${issue.message}`)
        .join('; ');
}
/** A thrown value need not be an error, or convertible to text. */
export function thrownText(thrown, by = 'The handler') {
    const description = thrown instanceof Error ? thrown.message : thrown;
    return typeof description === 'string' ? description : `${by} threw a value that is not an Error`;
}
