/** `true`: an annotation without a check. */
type StringFormat = true | ((text: string) => boolean);
export declare const formats: Readonly<Record<string, StringFormat>>;
export {};
