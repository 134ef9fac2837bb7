// Pure. Merges the default limits of organizations with the limits in an Organization object.

export interface Limits {
  readonly pods: number;
  readonly jobs: number;
  readonly configMaps: number;
  /** Number of Resource objects, drafts included. */
  readonly resources: number;
  /** Size of all Resource objects in bytes of JSON as etcd stores it, such as `128Mi`: every replica holds them in memory. */
  readonly resourceBytes: string;
  readonly cpu: number;
  /** Such as `200Gi`; so is the next field. */
  readonly memory: string;
  readonly ephemeralStorage: string;
  readonly internet: boolean;
}

/** Generous: they contain the accidents of one organization and are no capacity plan. */
export const defaultLimits: Limits = {
  pods: 100,
  jobs: 2_000,
  configMaps: 20_000,
  resources: 20_000,
  resourceBytes: '64Mi',
  cpu: 100,
  memory: '200Gi',
  ephemeralStorage: '500Gi',
  internet: true,
};

type OwnLimits = { readonly [name in keyof Limits]?: Limits[name] | undefined };

/** @param own limits in the Organization object; `forAll` fills the rest */
export function limitsOf(own: OwnLimits | undefined, forAll: Limits): Limits {
  if (own === undefined) return forAll;
  const said = Object.entries(own).filter(([, value]) => value !== undefined);
  return { ...forAll, ...Object.fromEntries(said) };
}

const units = { Mi: 1_024 ** 2, Gi: 1_024 ** 3, Ti: 1_024 ** 4 };

/** @param quantity such as `128Mi`, `1Gi` or `2Ti` */
export function quantityBytes(quantity: string): number {
  const unit = units[quantity.slice(-2) as keyof typeof units] ?? 1;
  return Number.parseInt(quantity, 10) * unit;
}
