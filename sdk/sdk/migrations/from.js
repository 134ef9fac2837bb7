import { maxEarlierVersions, maxTypeVersion } from '../../domain/type-version.js';
import { requireWhole } from '../delivery-options.js';
/**
 * Begins a step from one version of a type to the next one. It must be pure: it runs whenever a stored value of that version is
 * needed, and when people migrate their files.
 *
 * @param version the version that the step begins from; it leads to `version + 1`
 * @param schemas the schemas of that version: the step receives values that they parsed
 * @returns an object whose `to` takes the step for configs and the step for outputs
 * @throws RangeError when the version is not a whole number from 1 to 999
 * @example
 * ```ts
 * from(1, { config: ConfigV1, outputs: OutputsV1 }).to(
 *   ({ size }) => ({ sizeGb: size }),
 *   (outputs) => ({ ...outputs, region: 'eu' }),
 * );
 * ```
 */
export function from(version, { config, outputs }) {
    requireWhole('from: the version', version, { max: maxTypeVersion - 1 });
    return {
        to: (migrateConfig, migrateOutputs) => ({ from: version, config, outputs, migrateConfig, migrateOutputs }),
    };
}
/**
 * @throws RangeError when the version of a type, or the number of its migrations, is beyond the limits
 * @throws TypeError when its migrations are no chain that ends at the version
 */
export function requireVersions(type, { version = 1, migrations = [] }) {
    requireWhole(`Type ${type}: version`, version, { max: maxTypeVersion });
    if (migrations.length > maxEarlierVersions) {
        throw new RangeError(`Type ${type} has ${migrations.length} migrations; it may have ${maxEarlierVersions}. Remove the oldest`);
    }
    for (const [at, { from: earlier }] of migrations.entries()) {
        const next = migrations[at + 1]?.from ?? version;
        if (next > earlier + 1) {
            throw new TypeError(`Type ${type} has no migration from version ${earlier + 1}; add from(${earlier + 1}, …) so that its migrations lead to version ${version} without a gap`);
        }
        if (next <= earlier) {
            throw new TypeError(`Type ${type}: from(${earlier}, …) does not come before ${at + 1 < migrations.length ? `from(${next}, …)` : `version ${version}`}; list the migrations from the oldest up to the version before ${version}`);
        }
    }
}
