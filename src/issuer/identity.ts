// Defines the identities of the development issuer: organization, role, perhaps one project. The issuer trusts any input.

export const roles = ['viewer', 'editor', 'admin'] as const;
export interface DevIdentity {
  readonly organization: string;
  readonly role: (typeof roles)[number];
  /** Makes it a platform token, confined to this project. */
  readonly project: string | undefined;
}

export const audience = 'fairlead';
/** Not the audience: an ID token, whose audience is the client, must not be accepted as an access token. */
export const clientId = 'fairlead-cli';
export const consoleClientId = 'fairlead-console';

export type IdentityField = 'organization' | 'role' | 'project';

export interface InvalidIdentity {
  readonly field: IdentityField;
  /** A sentence that names the field and its rule. */
  readonly message: string;
}

/** @returns the identity, or what is wrong with the first invalid field */
export function identityFrom(
  choice: Readonly<Record<IdentityField, string>>,
): DevIdentity | InvalidIdentity {
  const organization = choice.organization.trim();
  if (organization === '') return invalidField('organization', 'The organization is missing.');
  if (organization.length > 256) {
    return invalidField('organization', 'The organization may have 256 characters at most.');
  }
  const role = roles.find((each) => each === choice.role);
  if (role === undefined) {
    return invalidField('role', `The role must be one of ${roles.join(', ')}.`);
  }
  const project = choice.project.trim();
  if (project.length > 63)
    return invalidField('project', 'The project may have 63 characters at most.');
  return { organization, role, project: project === '' ? undefined : project };
}

function invalidField(field: IdentityField, message: string): InvalidIdentity {
  return { field, message };
}

/** Returns the claims of this issuer's tokens, besides the standard ones. */
export function identityClaims({
  organization,
  role,
  project,
}: DevIdentity): Record<string, unknown> {
  return {
    org_id: organization,
    roles: [role],
    // The subject is no name that people can read.
    preferred_username: `${organization}-${role}`,
    ...(project === undefined ? {} : { project_id: project }),
  };
}

/** The subject encodes the whole identity: this issuer has no accounts. */
export function subjectClaim(identity: DevIdentity): string {
  const { organization, role, project = '' } = identity;
  return Buffer.from(JSON.stringify([organization, role, project])).toString('base64url');
}

/** @returns undefined for what `subjectClaim` did not make */
export function identityOf(subject: string): DevIdentity | undefined {
  try {
    const parts = JSON.parse(Buffer.from(subject, 'base64url').toString()) as unknown[];
    const [organization, role, project] = parts.map(String);
    const identity = identityFrom({
      organization: organization ?? '',
      role: role ?? '',
      project: project ?? '',
    });
    return 'field' in identity ? undefined : identity;
  } catch {
    return undefined;
  }
}

/** Returns the issuer URL on a port, which every token contains. */
export function issuerUrl(port: number): string {
  return `http://localhost:${port}`;
}
