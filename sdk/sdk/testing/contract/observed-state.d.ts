import type { Life } from '../life.js';
import type { ContractSubject } from './subject.js';
/** Reports a difference; without `observe`, nothing. @returns whether nothing differs */
export declare function expectUnchanged({ observe, found }: ContractSubject, resource: Life, { step, before }: {
    readonly step: string;
    readonly before: unknown;
}): Promise<boolean>;
