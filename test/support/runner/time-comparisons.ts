// Which modules of the server may compare times that were stored, and why it is sound: another machine may have written them, whose clock
// differs. What is retried, released or redriven is named by a version or by a value that one writer stored, and needs no time.

const shown = 'it shows a time or an age to people, and decides nothing';
const checked = 'it checks that a text is a time';
const read = 'it reads the record of a stored object';
const own = 'both are of the monotonic clock of this process';
const declared = 'a person declared the time; it is as exact as the clock of the process';
const lifetime = 'a certificate is renewed days before its end, and clocks differ by less';

/** Without `src/` and `.ts`. */
const comparing: Readonly<Record<string, string>> = {
  'app/controllers/resource-controller':
    'a wait that an earlier leader recorded is bounded by the longest that a provider may ask for',
  'kube/log-lines': 'times of lines of one log, written by one kubelet',
  'metrics/certificates': shown,
  'metrics/dead-letter-statistics': shown,
  'metrics/state': shown,
  'metrics/unsettled': shown,
  'providers/artifacts/collection/state':
    'a pass counts at most two intervals, whatever the clocks say',
  'providers/artifacts/staging': 'files of this machine',
  'reconcilers/deployment/act': lifetime,
  'reconcilers/deployment/certificate': lifetime,
  'reconcilers/deployment/progress': shown,
  'reconcilers/endpoints': lifetime,
  'reconcilers/observation/correction':
    'a brake: leaders whose clocks differ shorten or lengthen the pause between two corrections by that; each looks at a whole window itself, and groups span two intervals',
  'reconcilers/resource/delivery/limits/provider': own,
  'reconcilers/resource/expiry/expiry': declared,
  'reconcilers/resource/waits': 'each wait is bounded by its whole length on the monotonic clock',
  'store/dead-letters/causes': shown,
  'store/dead-letters/indexes': own,
  'store/dead-letters/object': read,
  'store/dead-letters/orphan-receipt-object': read,
  'store/dead-letters/redrive-result': read,
  'store/organizations/provisioning': 'a limit of an hour need not be exact',
  'store/projects/gate':
    'a mark that is too old or from the future is abandoned; the version of the project decides the rest',
  'store/providers/registries': checked,
  'store/providers/setting-names':
    'names in a message, with a minute for the difference of the clocks',
  'store/resources/events': shown,
  'explanation/attempt': shown,
  'explanation/pace': shown,
  'store/resources/options': declared,
  'store/resources/provider-hold':
    'a wait that an earlier leader recorded; deliveries bound it, and explanations show it',
  'store/resources/state': read,
};

export const timeComparers: ReadonlySet<string> = new Set(Object.keys(comparing));

/** Clients show ages by their own clock. Tokens and certificates have their own rules. */
const server =
  /^src\/(?:app|domain|events|explanation|http|kube|metrics|providers|reconcilers|store)\//;

const time = String.raw`(?:\w+\??\.)*(?:\w+At|since|until|before|modified)\b`;
const patterns: readonly RegExp[] = [
  /\bDate\.parse\(/,
  // Of a value, and neither of a sum of numbers nor only for a text. A wait is a moment of this process.
  /(?<!\bwaitUntil\(|\buntil: )\bnew Date\((?:\w+\('\w+'\)|[\w.?]*[a-z][\w.?]*(?:\[[^\]]+\])?(?: \?\? [\w']+)?)\)(?!\.toISOString)/,
  new RegExp(String.raw`\b${time}\)? (?:<|>|<=|>=) (?:\w+\()?(?:${time}|\w+\.newest\b|oldest\b)`),
];

/** @returns the lines of a module that read or compare stored times; none outside the server */
export function timeComparisons(path: string, text: string): string[] {
  if (!server.test(path)) return [];
  return text
    .split('\n')
    .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line))
    .filter((line) => patterns.some((pattern) => pattern.test(line)))
    .map((line) => line.trim());
}

/** @returns what is wrong with a module, one sentence for each line */
export function timeProblems(path: string, text: string): string[] {
  if (timeComparers.has(path.slice('src/'.length).replace(/\.ts$/, ''))) return [];
  return timeComparisons(path, text).map(
    (line) =>
      `${path} reads a stored time to compare it: ${line}. Another machine may have written it: name a version or a stored value instead, or say in test/support/runner/time-comparisons.ts why the difference of two clocks does no harm.`,
  );
}
