// Parses the JSON list of trusted issuers, or fails with one message that names the issuer and the field. Unsafe settings
// cannot be expressed: symmetric algorithms, keys over plain HTTP, a missing audience.

import { z } from 'zod';
import { type Role, roles } from '../../api/roles.ts';
import { type TokenKind, tokenKinds } from '../../api/schemas/protected-resource.ts';
import { jsonIn } from '../../lib/json.ts';

/** `realm_access.roles`, with `\.` for a dot in a name; a URL is one name; a list has one name per element. */
export type ClaimPath = string | readonly string[];

export interface IssuerSettings {
  /** Exactly the `iss` claim; discovery finds the keys below it. */
  readonly issuer: string;
  /** The URL of its keys, instead of discovery. */
  readonly jwksUrl?: string | undefined;
  /** A token must have one of them. */
  readonly audience: string | readonly string[];
  /** Asymmetric algorithms only. */
  readonly algorithms: readonly string[];
  /** Allowed values of the `typ` header; a token without `typ` counts as `JWT`. Defaults to `JWT` and `at+jwt`. */
  readonly tokenTypes?: readonly string[] | undefined;
  /** Claims of access tokens that other tokens of the issuer lack. Without values, the claim only has to exist. */
  readonly requiredClaims?: readonly RequiredClaim[] | undefined;
  readonly organizationClaim?: ClaimPath | undefined;
  /** The one organization of all its tokens, instead of a claim. */
  readonly organization?: string | undefined;
  /** The organizations for which it may issue tokens; defaults to all. */
  readonly allowedOrganizations?: readonly string[] | undefined;
  /** A list of names, or text separated by spaces. */
  readonly rolesClaim?: ClaimPath | undefined;
  /** Maps its role names to ours; unmapped names grant nothing. Without a mapping its names are ours. */
  readonly roles?: Readonly<Record<string, Role>> | undefined;
  /** The role of tokens without a role; such tokens are rejected if absent. */
  readonly defaultRole?: Role | undefined;
  /** If true, the project claim confines a token to that project; `required` also rejects tokens without the claim. */
  readonly platform: boolean | 'required';
  /** Defaults to `project_id`. */
  readonly projectClaim?: ClaimPath | undefined;
  /** The total of organizations that its tokens may create; defaults to 1,000. */
  readonly maxOrganizations?: number | undefined;
  /** The number of those per hour; defaults to 200. */
  readonly organizationsPerHour?: number | undefined;
  /** The longest time from `iat` to `exp`; defaults to a day. */
  readonly maxLifetimeSeconds?: number | undefined;
  /** How long keys stay valid without a successful refresh; defaults to 12 h. */
  readonly staleKeysSeconds?: number | undefined;
  /** How the command-line client signs in; published to everybody. Without it, the issuer is not published. */
  readonly cli?: ClientSettings | undefined;
  /** How the console signs in, with authorization code and PKCE; published to everybody. */
  readonly console?: ClientSettings | undefined;
}

interface ClientSettings {
  /** A public client: it has no secret. */
  readonly clientId: string;
  /** Defaults to `openid offline_access`, and for the console, which keeps nothing, to `openid`. */
  readonly scope?: string | undefined;
  /** Additional parameters of the authorization request, such as `audience`. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  /** Which token of the issuer Fairlead accepts; defaults to `access_token`. */
  readonly token?: TokenKind | undefined;
}

/** The settings that a client needs to sign in. */
export interface SignIn {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly token: TokenKind;
}

/** @returns how the console signs in, at the first issuer that has a client for it */
export function firstSignIn(issuers: readonly IssuerSettings[]): SignIn | undefined {
  for (const { issuer, console: client } of issuers) {
    if (client === undefined) continue;
    const { clientId, scope = 'openid', parameters = {}, token = 'access_token' } = client;
    return { issuer, clientId, scope, parameters, token };
  }
  return undefined;
}

interface RequiredClaim {
  readonly claim: ClaimPath;
  readonly values?: readonly string[] | undefined;
}

/** The text is no valid list of trusted issuers; `message` names the issuer and the field. */
export class IssuerSettingsError extends Error {
  override readonly name = 'IssuerSettingsError';
}

export const asymmetricAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
] as const;

const word = z.string().min(1).max(2_048);
const Path = z.union([
  word.refine(
    (path) => !/^\.|(?<!\\)\.\.|(?<!\\)\.$/.test(path),
    'the path contains an empty name',
  ),
  z.array(word).min(1).max(16),
]);

/** The client itself chooses these; a fixed value would break the sign-in or its protection. */
const chosenByClient = new Set([
  ...['client_id', 'client_secret', 'response_type', 'response_mode', 'redirect_uri', 'scope'],
  ...['state', 'nonce', 'code_challenge', 'code_challenge_method', 'request', 'request_uri'],
]);
const clientId = z.string().min(1).max(256);

const Client = z.strictObject({
  clientId,
  scope: z
    .string()
    .max(1_024)
    .regex(/^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/, 'must be names with one space between them')
    .optional(),
  parameters: z
    .record(
      word.refine((name) => !chosenByClient.has(name), 'is chosen by the client'),
      z.string().max(2_048),
    )
    .optional(),
  token: z.enum(tokenKinds).optional(),
});

const Issuer = z
  .strictObject({
    issuer: z.url({ protocol: /^https?$/ }),
    jwksUrl: z.url({ protocol: /^https?$/ }).optional(),
    audience: z.union([word, z.array(word).min(1)]),
    algorithms: z.array(z.enum(asymmetricAlgorithms)).min(1).default(['RS256', 'ES256']),
    tokenTypes: z.array(word).min(1).optional(),
    requiredClaims: z
      .array(z.strictObject({ claim: Path, values: z.array(word).min(1).optional() }))
      .optional(),
    organizationClaim: Path.optional(),
    organization: z.string().min(1).max(256).optional(),
    allowedOrganizations: z.array(word).min(1).optional(),
    rolesClaim: Path.optional(),
    roles: z.record(word, z.enum(roles)).optional(),
    defaultRole: z.enum(roles).optional(),
    platform: z.union([z.boolean(), z.literal('required')]).default(false),
    projectClaim: Path.optional(),
    maxOrganizations: z.int().min(1).max(1_000_000).optional(),
    organizationsPerHour: z.int().min(1).max(1_000_000).optional(),
    maxLifetimeSeconds: z.int().min(60).max(2_592_000).optional(),
    staleKeysSeconds: z.int().min(0).max(604_800).optional(),
    cli: Client.optional(),
    console: Client.optional(),
  })
  .superRefine((issuer, context) => {
    for (const { path, message } of contradictions(issuer)) {
      context.addIssue({ code: 'custom', path: [path], message });
    }
  });

function* contradictions(issuer: IssuerSettings): Iterable<{ path: string; message: string }> {
  const { organization, organizationClaim, rolesClaim, defaultRole, platform } = issuer;
  if ((organization === undefined) === (organizationClaim === undefined)) {
    yield {
      path: 'organizationClaim',
      message: 'exactly one of organizationClaim and organization is required',
    };
  }
  if (organization !== undefined && issuer.allowedOrganizations !== undefined) {
    yield { path: 'allowedOrganizations', message: 'cannot be combined with organization' };
  }
  if (rolesClaim === undefined && defaultRole === undefined) {
    yield { path: 'rolesClaim', message: 'rolesClaim or defaultRole is required' };
  }
  if (rolesClaim === undefined && issuer.roles !== undefined) {
    yield { path: 'roles', message: 'requires rolesClaim' };
  }
  if (!platform && issuer.projectClaim !== undefined) {
    yield { path: 'projectClaim', message: 'requires platform' };
  }
}

export interface IssuerSurroundings {
  /** Permits issuers without TLS on this machine, as in development. */
  readonly loopback: boolean;
  /** Lets `platform: true` accept tokens that name no project; otherwise it means `required`. */
  readonly development?: boolean;
}

/** @throws IssuerSettingsError */
export function readIssuers(
  text: string,
  { loopback, development = false }: IssuerSurroundings,
): readonly IssuerSettings[] {
  const listed = z.array(z.unknown()).min(1).safeParse(jsonIn(text));
  if (!listed.success) throw new IssuerSettingsError('must be a JSON list of issuers');
  const issuers = listed.data
    .map(readIssuer)
    .map((each) =>
      each.platform && !development ? { ...each, platform: 'required' as const } : each,
    );
  for (const [index, settings] of issuers.entries()) {
    const name = issuerName(settings, index);
    requireSafeLines(settings, { name, loopback });
    if (issuers.findIndex(({ issuer }) => issuer === settings.issuer) !== index) {
      throw new IssuerSettingsError(`${name}: issuer: must be unique`);
    }
  }
  return issuers;
}

function readIssuer(value: unknown, index: number): IssuerSettings {
  const parsed = Issuer.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  const what = [issuerName(value, index), field, issue?.message ?? 'invalid'];
  throw new IssuerSettingsError(what.filter((each) => each !== '').join(': '));
}

function requireSafeLines(
  { issuer, jwksUrl = issuer }: IssuerSettings,
  { name, loopback }: { name: string; loopback: boolean },
): void {
  for (const [field, url] of Object.entries({ issuer, jwksUrl })) {
    if (url.startsWith('https:') || (loopback && onLoopback(url))) continue;
    throw new IssuerSettingsError(`${name}: ${field}: must begin with https://`);
  }
}

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Returns true for a plain HTTP URL on loopback, which never crosses a network. */
export function onLoopback(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && loopbackHosts.has(hostname);
}

function issuerName(value: unknown, index: number): string {
  const named = z.looseObject({ issuer: z.string().max(2_048) }).safeParse(value);
  return named.success ? `[${index}] ${named.data.issuer}` : `[${index}]`;
}
