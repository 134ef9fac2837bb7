export declare const schemaBounds: {
    readonly bytes: number;
    /** Nested schemas, including the outermost one. */
    readonly depth: 20;
    readonly schemas: 2000;
    /** Members of one `properties`, `$defs`, `required` … */
    readonly names: 300;
    readonly branches: 50;
    readonly enumValues: 500;
    readonly patternLength: 1024;
    /** Schemas that apply to one value after all references are followed. */
    readonly expansion: 10000;
};
