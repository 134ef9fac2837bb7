import type { JsonObject } from '../../../lib/json.js';
import type { Subject } from './subject.js';
export declare function checkSecrets(subject: Subject, outputs: JsonObject): void;
