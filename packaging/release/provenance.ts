// Pure. States what a release was made from, as an in-toto statement with SLSA provenance. Nothing signs it.
import type { Checkout } from './checkout.ts';

/** SHA-256 in hexadecimal, by name of the file. */
export type Digests = ReadonlyMap<string, string>;

export interface Origin {
  readonly version: string;
  readonly checkout: Checkout;
  /** The digest of package-lock.json, which names every package by its own. */
  readonly lockFile: string;
}

export function provenanceOf(artifacts: Digests, { version, checkout, lockFile }: Origin) {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [...artifacts].map(([name, sha256]) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://fairlead.dev/npm-run-release/v1',
        externalParameters: { command: 'npm run release', version },
        resolvedDependencies: [
          { name: 'checkout', digest: { gitCommit: checkout.commit } },
          { name: 'package-lock.json', digest: { sha256: lockFile } },
        ],
      },
      runDetails: { builder: { id: 'https://fairlead.dev/npm-run-release' } },
    },
  };
}
