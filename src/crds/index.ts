// Lists every kind that Fairlead stores, in installation order.
import { Build } from './build.ts';
import { Organization } from './organization.ts';
import { Project } from './project.ts';
import { Provider } from './provider.ts';
import { Resource } from './resource.ts';
import { ResourceDefinition } from './resource-definition.ts';

export const kinds = [
  Organization,
  Project,
  ResourceDefinition,
  Resource,
  Provider,
  Build,
] as const;
