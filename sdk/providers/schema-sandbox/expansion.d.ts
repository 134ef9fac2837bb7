import { type JsonObject } from '../../lib/json.js';
import { type Loc } from '../../tenant-schema/structure.js';
interface ExpansionProblem {
    readonly loc: Loc;
    readonly msg: string;
}
/** @param root a schema whose keywords and references are known to be well-formed */
export declare function expansionProblems(root: JsonObject): readonly ExpansionProblem[];
export {};
