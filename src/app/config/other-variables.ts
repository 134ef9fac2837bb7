// Variables of the environment that no setting of a verb is read from, for docs/configuration.md.

/** FAIRLEAD_* variables that no setting of a verb is read from. */
export const otherVariables = [
  {
    name: 'FAIRLEAD_ARTIFACTS_TOKEN',
    meaning: 'Fairlead sets it in pods of builds and providers: the token of one artifact.',
  },
  {
    name: 'FAIRLEAD_TYPES_TOKEN',
    meaning: 'Fairlead sets it in pods of builds: the token for uploading the types of a build.',
  },
  {
    name: 'FAIRLEAD_TEST_IMAGE',
    meaning: 'Image that `npm run test:image` and `npm run test:cluster` test.',
  },
  {
    name: 'FAIRLEAD_TEST_IMAGE_EVALUATION',
    meaning: '`true`: `FAIRLEAD_TEST_IMAGE` is an image for evaluation.',
  },
  {
    name: 'FAIRLEAD_K3S_IMAGE',
    meaning: 'Image of K3s that `npm run test:cluster` starts.',
  },
  {
    name: 'FAIRLEAD_TEST_BROWSER',
    meaning:
      'The Chromium for tests of pages: a path, or `package` for the one of @sparticuz/chromium. By default one that is installed, or else that of the package.',
  },
  {
    name: 'FAIRLEAD_PICTURES',
    meaning: 'A folder for the pictures of the pages that tests open.',
  },
  {
    name: 'FAIRLEAD_WRITE_REPORT',
    meaning: '`true`: `npm run test:cluster` writes docs/cluster-report.md.',
  },
] as const;
