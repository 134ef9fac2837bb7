// Lists the schemas that the OpenAPI document references by name.
import type { z } from 'zod';
import { ErrorBody, Health, KeySet, Me, Readiness, ValidationErrorBody } from './core.ts';
import { CreateProject, Project, Projects, UpdateProject } from './projects.ts';
import { ProtectedResource } from './protected-resource.ts';
import { ProviderSettings, SettingsRequest } from './provider-settings.ts';
import {
  Build,
  Builds,
  Deployment,
  DeployRequest,
  Provider,
  Providers,
  PushedBuild,
} from './providers.ts';
import { RegisterType, ResourceDefinition, ResourceDefinitions } from './resource-types.ts';
import { ApplyResource, ResourceRecord, ResourceRecords } from './resources.ts';
import {
  ProviderEvent,
  ProviderFailed,
  ProviderInProgress,
  ProviderSucceeded,
} from './webhooks.ts';

export const components = {
  ApplyResource,
  ResourceRecord,
  ResourceRecords,
  RegisterType,
  ResourceDefinition,
  ResourceDefinitions,
  PushedBuild,
  Build,
  Builds,
  DeployRequest,
  Deployment,
  Provider,
  Providers,
  ProviderSettings,
  SettingsRequest,
  Project,
  Projects,
  CreateProject,
  UpdateProject,
  Me,
  Health,
  Readiness,
  KeySet,
  ProtectedResource,
  ProviderEvent,
  ProviderSucceeded,
  ProviderInProgress,
  ProviderFailed,
  ErrorBody,
  ValidationErrorBody,
} satisfies Record<string, z.ZodType>;
