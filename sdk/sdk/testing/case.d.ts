import type { Provider, ResourceType } from '../provider.js';
import { type Findings } from './findings.js';
export interface TypeCase {
    /** The configuration as a user would send it; fields with defaults are optional. */
    readonly config: object;
    /** Another configuration for the same resource, if the type can be changed. */
    readonly changed?: object;
}
export declare function unknownType({ types }: Provider, name: string): string;
interface JudgedCase {
    readonly given: TypeCase;
    readonly found: Findings;
}
/** @returns whether Fairlead would accept the configs */
export declare function isUsable(provider: Provider, type: ResourceType, { given: { config, changed }, found }: JudgedCase): boolean;
export {};
