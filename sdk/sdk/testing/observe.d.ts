import type { Provider, ResourceType } from '../provider.js';
import { type Findings } from './findings.js';
type SentObjects = readonly object[];
/** @param sent the configurations that are sent; handlers must receive one of them, with its defaults */
export declare function observed(provider: Provider, type: ResourceType, { sent, found }: {
    sent: SentObjects;
    found: Findings;
}): Provider;
export {};
