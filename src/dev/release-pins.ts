// Pins the checksums of the official releases for the local control plane. Without a pin the same programs are built from
// Go modules, whose checksums are in controlplane/go.sum. To update: for Kubernetes from CHANGELOG/CHANGELOG-1.NN.md of a
// later version of its repository, for etcd from SHA256SUMS of its release.

export interface ReleasePins {
  /** By version, then `os-architecture`: the SHA-512 of kubernetes-server-….tar.gz. */
  readonly kubernetes: Pins;
  /** Likewise: the SHA-256 of etcd-….tar.gz. */
  readonly etcd: Pins;
}

type Pins = Readonly<Record<string, Readonly<Record<string, string>>>>;

export const releasePins: ReleasePins = {
  kubernetes: {
    'v1.36.3': {
      'linux-amd64':
        'b0fc15554233d9dcf7284bca259bc238aa89003dc2d821f7074f385f3825dead854ae175482ccb5632a0930ffc1d3c0eff1cda2ada972fba9a5d46033a8b1e52',
      'linux-arm64':
        '65c78d6893d683fc5e7f232f8638243886c8b1b7dbe055746ae7d38fdf8016456b1710ce4fc1133127880a65aed9492f737995694462baad13495a7f3d9ef0c5',
    },
  },
  etcd: {
    'v3.6.8': {
      'linux-amd64': 'cf9cfe91a4856cb90eed9c99e6aee4b708db2c7888b88a6f116281f04b0ea693',
      'linux-arm64': '438f56a700d17ce761510a3e63e6fa5c1d587b2dd4d7a22c179c09a649366760',
    },
  },
};
