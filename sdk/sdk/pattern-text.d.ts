/**
 * @param path of the schema in the JSON Schema
 * @throws TypeError for an expression that no pattern can stand for
 */
export declare function patternText(regExp: RegExp, path: readonly (string | number)[]): string;
