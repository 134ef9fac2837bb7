// Provides the artifact token key for both programs: one signs, the other verifies with the public key.

import { createSigner, generateEventKey } from '../../src/events/sign.ts';
import {
  type ArtifactTokens,
  type ArtifactVerifier,
  createArtifactTokens,
  createArtifactVerifier,
} from '../../src/http/auth/artifact-tokens.ts';
import { systemClock } from '../../src/lib/clock.ts';

export async function artifactKeys(): Promise<ArtifactTokens & ArtifactVerifier> {
  const key = await generateEventKey();
  const { keys } = createSigner(key, systemClock).publicKeys();
  return {
    ...(await createArtifactTokens(key, systemClock)),
    ...createArtifactVerifier(() => keys, systemClock),
  };
}
