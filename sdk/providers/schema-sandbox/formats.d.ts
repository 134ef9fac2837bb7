/** `true`: an annotation without a check. */
type Format = true | ((text: string) => boolean);
export declare const formats: Readonly<Record<string, Format>>;
export {};
