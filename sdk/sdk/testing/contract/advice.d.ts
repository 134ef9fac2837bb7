export declare function adviceFor(finding: string): string | undefined;
