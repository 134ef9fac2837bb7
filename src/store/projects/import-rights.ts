// Which projects may import existing objects.
import type { Organization } from '../../domain/identity.ts';

export interface ImportRights {
  /** @returns whether tokens that are confined to the project may import */
  mayImport(organization: Organization, projectId: string): Promise<boolean>;
}
