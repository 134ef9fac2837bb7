import type { JsonObject } from '../../../lib/json.js';
import type { ContractSubject } from './subject.js';
export declare function checkSecrets(subject: ContractSubject, outputs: JsonObject): void;
