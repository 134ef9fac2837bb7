import { type JsonObject } from '../../lib/json.js';
import type { Ending } from './step.js';
export interface Findings {
    add(what: string, cause?: unknown): void;
    /** @returns the outputs of a success; anything else is a finding */
    outputs(step: string, ending: Ending): JsonObject | undefined;
    /** Expects a success with these outputs; any success when they are not known. */
    same(step: string, ending: Ending, outputs: JsonObject | undefined): void;
    /** Expects a result that is not a permanent failure. */
    cancelled(step: string, ending: Ending): void;
    /** Expects a permanent failure with this code. */
    refused(step: string, ending: Ending, code: string): void;
    /** Collects findings of a part, which are reported with those of the whole. */
    below(part: string): Findings;
    /** @throws AggregateError when there are findings */
    throwIfAny(): void;
}
/** @returns what to do about a finding; undefined when nothing is to be added */
type FindingAdvice = (finding: string) => string | undefined;
/** @param subject the subject of the check, which begins the message */
export declare function findings(subject: string, advice?: FindingAdvice): Findings;
/** @returns a value as one readable line */
export declare function shown(value: unknown): string;
export {};
