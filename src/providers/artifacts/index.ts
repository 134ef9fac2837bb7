// Creates the artifact store that the settings select.
import { z } from 'zod';
import type { ArtifactStore } from '../../domain/providers/artifact.ts';
import type { Clock } from '../../lib/clock.ts';
import { openFilesystemStore } from './filesystem.ts';
import { type GrantToken, openRemoteStore } from './remote.ts';

export const ArtifactSettings = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('filesystem'), folder: z.string().min(1) }),
  z.strictObject({
    kind: z.literal('s3'),
    bucket: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/),
    prefix: z
      .string()
      .regex(/^[A-Za-z0-9!_.*'()/-]{0,512}$/)
      .default(''),
    region: z.string().min(1).default('us-east-1'),
    endpoint: z.url({ protocol: /^https?$/ }).optional(),
    pathStyle: z.boolean().default(false),
    credentials: z
      .strictObject({ accessKeyId: z.string().min(1), secretAccessKey: z.string().min(1) })
      .exactOptional(),
    stagingFolder: z.string().min(1),
  }),
  z.strictObject({
    kind: z.literal('remote'),
    url: z.url({ protocol: /^https?$/ }),
    stagingFolder: z.string().min(1),
  }),
]);
export type ArtifactSettings = z.output<typeof ArtifactSettings>;

/**
 * Creates its folders and removes leftovers of crashed uploads. A missing bucket shows only at its first use.
 * @param tokenFor creates the tokens for a remote store; absent in a process without the signing key
 */
export async function openArtifactStore(
  settings: ArtifactSettings,
  clock: Clock,
  tokenFor: GrantToken = noTokens,
): Promise<ArtifactStore> {
  if (settings.kind === 'filesystem') return await openFilesystemStore(settings, clock);
  if (settings.kind === 'remote') return await openRemoteStore(settings, clock, tokenFor);
  // The library is large; a file store does not load it.
  const { openS3Store } = await import('./s3.ts');
  return await openS3Store(settings, clock);
}

const noTokens: GrantToken = () =>
  Promise.reject(new Error('A remote artifact store requires tokens'));
