/** @returns undefined when none is near: of a short name one letter may differ, of others two, of long ones a third */
export declare function nearest(name: string, known: Iterable<string>): string | undefined;
