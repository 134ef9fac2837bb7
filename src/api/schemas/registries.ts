// Defines the requests and responses for the private npm registries of an organization.
import { z } from 'zod';
import {
  registryTokenPattern,
  registryUrlProblem,
  scopePattern,
} from '../../domain/providers/registries.ts';
import { NameOfSubject, Timestamp } from './core.ts';
import { dryRun } from './dry-run.ts';

const Scope = z
  .string()
  .regex(scopePattern, 'Input should be a scope of npm with @, such as @acme')
  .describe('Scope of the packages, with `@`.')
  .meta({ examples: ['@acme'] });
const url = z.string().max(1_024).describe('Address of the registry, https.');

export const RegistryPath = z.object({ scope: Scope });
export const RegistryQuery = z.object(dryRun);

export const RegistryRequest = z
  .strictObject({
    url: url.superRefine((text, { addIssue }) => {
      const problem = registryUrlProblem(text);
      if (problem !== undefined) addIssue(problem);
    }),
    token: z
      .string()
      .min(1)
      .max(4_096)
      .regex(registryTokenPattern, 'Input should be letters, digits and . _ ~ + / = : - only')
      .describe('Token that may read packages. It is never shown.'),
  })
  .meta({ examples: [{ url: 'https://npm.example.com/', token: 'npm-token-of-ci' }] });

export const Registry = z
  .object({
    scope: Scope,
    url,
    set_at: Timestamp.describe('Time at which the registry was set.'),
    set_by: z.string().describe('Subject that set the registry.'),
    set_by_name: NameOfSubject,
  })
  .meta({
    examples: [
      {
        scope: '@acme',
        url: 'https://npm.example.com/',
        set_at: '2026-01-31T12:00:00.000Z',
        set_by: 'ann',
      },
    ],
  });

export const Registries = z.array(Registry);
