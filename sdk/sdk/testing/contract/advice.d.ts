export declare function findingAdvice(finding: string): string | undefined;
