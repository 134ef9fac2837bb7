// Lists the security catalogue: input and limits (H), schemas (J), tokens (T), tenancy (K), the use of data by providers
// and pods (Q), isolation (I), and the command-line client (C). Test titles begin with the rows that they prove.

const rows = {
  H: [1, 4, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 21, 22, 23, 24, 25, 26, 28, 29],
  J: [1, 2, 3, 4, 6, 7, 8, 10, 12, 13, 15],
  T: [1, 3, 4, 7, 9, 10, 12, 13, 15, 16],
  K: [1, 2, 4, 6, 7, 8, 10, 11, 12, 14, 15, 16, 17, 18, 21, 22, 23, 26, 27],
  Q: [16, 19, 20],
  C: [1, 2, 3, 4, 5, 6, 7],
} as const;

export const catalogue: readonly string[] = [
  ...Object.entries(rows).flatMap(([area, numbers]) =>
    numbers.map((number) => `${area}${String(number).padStart(2, '0')}`),
  ),
  'I6',
  'I7',
  'I12',
  'I13',
];

/** The reason why a row has no test of this name; remove the line once it has one. */
export const untested: Readonly<Record<string, string>> = {
  H14: 'a benchmark: it takes 50,000 resources',
  H21: 'in test/integration/store and test/faults, under other names',
  H22: 'in test/faults/unknown-outcomes.test.ts, which npm test does not run',
  H24: 'in test/unit/http/response/log-stream.test.ts and test/integration/store/build-logs.test.ts, under other names',
  H28: 'takes a day',
  K07: 'needs a network plugin that enforces policies; the policies themselves are compared in K06',
  K10: 'in test/integration/providers/workloads.test.ts, under other names',
  K12: 'there is no list of allowed namespaces; every shard serves the namespaces of organizations alone',
  K15: 'in test/chart/security.test.ts and test/cluster, which npm test does not run',
  K16: 'in test/chart/render.test.ts and test/chart/cluster.test.ts, which npm test does not run',
  K17: 'in test/chart/cluster.test.ts and test/cluster, which npm test does not run',
  K18: 'needs a kubelet',
};
