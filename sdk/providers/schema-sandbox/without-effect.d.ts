import type { JsonObject } from '../../lib/json.js';
import { type Loc } from '../../tenant-schema/structure.js';
interface KeywordProblem {
    readonly loc: Loc;
    readonly msg: string;
}
/** @param root a schema whose keywords are known to be well-formed */
export declare function withoutEffect(root: JsonObject): readonly KeywordProblem[];
export {};
