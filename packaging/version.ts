// Pure. Writes the version of package.json into the other files that carry it. Generators of crds/, sdk/ and docs/ read it themselves.

// Names of files end with `.tgz`, which would be a part of a pre-release.
const semver = String.raw`\d+\.\d+\.\d+(?:-[0-9A-Za-z-]+(?:\.(?!tgz\b)[0-9A-Za-z-]+)*)?`;

/** By path: what stands before the version, as a regular expression for whole lines. */
const places: Readonly<Record<string, string>> = {
  'package-lock.json': String.raw`^ +"name": "fairlead",\n +"version": "`,
  'charts/fairlead/Chart.yaml': '^version: |^appVersion: |^ +image: fairlead:',
  Dockerfile: '^ARG VERSION=',
  'README.md': String.raw`\bfairlead:`,
  'docs/install.md': String.raw`\bfairlead:|\bfairlead-(?:chart-)?`,
};

export const filesWithVersion: readonly string[] = Object.keys(places);

/** @throws Error when the file has no version where one is expected */
export function withVersion(file: string, text: string, version: string): string {
  const pattern = new RegExp(`(?<=${places[file]})${semver}`, 'gm');
  if (!pattern.test(text)) throw new Error(`${file} has no version after ${places[file]}`);
  return text.replaceAll(pattern, version);
}
