// The roles of tokens. Pure: browsers load it.

/** In ascending order: each role includes the rights of the roles before it. */
export const roles = ['viewer', 'editor', 'admin'] as const;
export type Role = (typeof roles)[number];

export interface RoleHolder {
  readonly role: Role;
  /** The one project to which the token is confined. */
  readonly project: string | undefined;
}
