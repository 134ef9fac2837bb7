import { type JsonObject } from '../../lib/json.js';
import { type Marks } from './marks.js';
import type { TypeSchemas } from './type-schemas.js';
export interface Contents {
    readonly config: JsonObject;
    readonly outputs: JsonObject;
}
/** What a stored resource records about its secrets. */
export interface RecordedSecrets {
    /** The config of the last successful event, with references resolved; undefined before the first. */
    readonly appliedConfig: JsonObject | undefined;
    /** Places that were secret when the present config was declared; undefined when nobody recorded them. */
    readonly declared: readonly string[] | undefined;
    /** Places that were secret when the applied config was; undefined when nobody recorded them. */
    readonly applied: readonly string[] | undefined;
    /** Places of the applied config in which a secret output of another resource was inserted. */
    readonly received?: readonly string[] | undefined;
    /** Places that were secret in the outputs when the provider returned them. */
    readonly returned?: readonly string[] | undefined;
}
/** The secret outputs of other resources that references insert into a config. */
export interface ReceivedSecrets {
    /** JSON Pointers in the config with its references resolved. */
    readonly places: readonly string[];
    /** To search for: a provider may show a part of the text into which an output was inserted. */
    readonly texts: readonly string[];
}
/** For a content that is not stored: another schema never applied to it. */
export declare const nothingRecorded: RecordedSecrets;
/** A resource as it is stored. */
export interface Stored extends Contents {
    readonly secrets: RecordedSecrets;
}
export interface Hidden extends Contents {
    /** JSON Pointers (RFC 6901) of what was hidden. */
    readonly masked: readonly string[];
}
interface MarksOfResource {
    readonly config: Marks;
    readonly applied: Marks;
    readonly outputs: Marks;
}
/**
 * A place that was secret in one of the configs is secret in all parts. An inserted output is not: the declared config has
 * its reference there.
 */
export declare function marksOfResource({ declared, applied, received, returned }: Omit<RecordedSecrets, 'appliedConfig'>, schemas: TypeSchemas | undefined): MarksOfResource;
/** @returns whether a resource may have secrets that `withoutSecrets` hides, as far as marks and records say */
export declare function mayHaveSecrets(secrets: RecordedSecrets, schemas: TypeSchemas | undefined): boolean;
/** @returns JSON Pointers of everything secret in the applied config, or in another value of its form */
export declare function appliedSecretPlaces(recorded: Omit<RecordedSecrets, 'appliedConfig'>, schemas: TypeSchemas | undefined, value: JsonObject): readonly string[];
/** @returns the places to record for a config or outputs that are stored now; undefined while their schemas are unknown */
export declare function placesToRecord(value: JsonObject, marks: Marks): readonly string[] | undefined;
/** @returns the places as a resource can record them: the one that stands for all, when they are too many */
export declare function bounded(places: readonly string[]): readonly string[];
/**
 * @param received by the config, whose references are resolved then
 * @returns the secrets of both configs and of the outputs, as texts to search for
 */
export declare function secretTexts({ config, outputs, secrets }: Stored, schemas: TypeSchemas | undefined, received?: ReceivedSecrets): readonly string[];
/**
 * Hides secrets from people who may only view a record: null in their place. Outputs are hidden where their schema marks them,
 * where they have the place of a secret, and where a text or number contains a secret of one of the configs or of the outputs.
 * The outputs of an unknown config may contain any secret, so their texts are hidden.
 * @param schemas of the type; undefined when it is unknown, and then every value is hidden
 */
export declare function withoutSecrets({ config, outputs, secrets }: Stored, schemas: TypeSchemas | undefined): Hidden;
/** @returns what `withoutSecrets` returns for a content that is not stored, such as one that somebody writes */
export declare function withoutMarked(contents: Contents, schemas: TypeSchemas | undefined): Hidden;
export {};
