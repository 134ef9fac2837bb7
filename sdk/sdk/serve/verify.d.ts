import type { IncomingHttpHeaders } from 'node:http';
import { type JWTVerifyGetKey } from 'jose';
import { type EventBody } from '../../domain/event.js';
import type { RequestBody } from './requests.js';
/** An event, or a request besides events. */
export type VerifiedBody = EventBody | RequestBody;
export interface VerifierOptions {
    readonly provider: string;
    readonly keys: JWTVerifyGetKey;
    /** The organizations that may use this provider; all when absent. */
    readonly organizations: readonly string[] | undefined;
    /** Default: the wall clock. */
    readonly now?: () => Date;
}
/** The public keys of a Fairlead, found below its base address and fetched again when they change. */
export declare function keysOf(fairlead: string): JWTVerifyGetKey;
export type Verify = (headers: IncomingHttpHeaders, body: Buffer) => Promise<VerifiedBody>;
/** @returns a function that throws Refusal unless the event is authentic */
export declare function createVerifier({ provider, keys, organizations, now, }: VerifierOptions): Verify;
