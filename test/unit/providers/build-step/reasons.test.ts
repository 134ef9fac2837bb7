// Real output of npm 11 and tsc, and the messages for authors.
import { describe, expect, it } from 'vitest';
import { codedFailure, stepFailure } from '../../../../src/providers/build-step/reasons.ts';

type End = Parameters<typeof stepFailure>[0];

interface Case {
  readonly end?: Partial<End>;
  readonly text?: string;
  readonly code: string;
  readonly message: string;
}

const log =
  'npm error A complete log of this run can be found in: /workspace/.npm/_logs/debug-0.log';

function reason({ end = {}, text = '' }: Case) {
  const step: End['step'] = end.step ?? 'install';
  const command = {
    install: 'npm install',
    build: 'npm run build',
    prune: 'npm prune',
    types: 'Importing the code',
  }[step];
  return stepFailure({
    step,
    command,
    code: 1,
    signal: null,
    isLate: false,
    timeoutMs: 840_000,
    text,
    ...end,
  });
}

const installing: Record<string, Case> = {
  'a missing package': {
    text: `npm error code E404
npm error 404 Not Found - GET https://registry.npmjs.org/@nope%2fthing
npm error 404
npm error 404  The requested resource '@nope/thing@^1.0.0' could not be found or you do not have permission to access it.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git url.
${log}`,
    code: 'dependency_not_found',
    message:
      'Dependency @nope/thing@^1.0.0 was not found in the npm registry, or access to it is denied',
  },
  'a missing package, with npm 10': {
    text: "npm error code E404\nnpm error 404  'left-padx@1' is not in this registry.\n",
    code: 'dependency_not_found',
    message: 'Dependency left-padx@1 was not found in the npm registry, or access to it is denied',
  },
  'a missing version': {
    text: `npm error code ETARGET
npm error notarget No matching version found for is-number@99.0.0.
npm error notarget In most cases you or one of your dependencies are requesting a package version that doesn't exist.`,
    code: 'dependency_not_found',
    message: 'No version in the npm registry matches dependency is-number@99.0.0',
  },
  'conflicting dependencies': {
    text: `npm error code ERESOLVE
npm error ERESOLVE unable to resolve dependency tree
npm error
npm error While resolving: a@undefined
npm error Found: react@18.0.0
npm error node_modules/react
npm error   react@"18.0.0" from the root project
npm error
npm error Could not resolve dependency:
npm error peer react@"17.0.0" from react-dom@17.0.0`,
    code: 'dependency_conflict',
    message:
      'Dependencies conflict: peer react@"17.0.0" from react-dom@17.0.0, but found react@18.0.0',
  },
  'an invalid version': {
    text: `npm error code EINVALIDTAGNAME
npm error Invalid tag name "not a version!!" of package "is-number@not a version!!": Tags may not have any characters that encodeURIComponent encodes.`,
    code: 'invalid_package',
    message:
      'package.json: Invalid tag name "not a version!!" of package "is-number@not a version!!": Tags may not have any characters that encodeURIComponent encodes.',
  },
  'a registry with an unknown host': {
    text: `npm error code ENOTFOUND
npm error syscall getaddrinfo
npm error errno ENOTFOUND
npm error network request to http://registry.invalid/is-number failed, reason: getaddrinfo ENOTFOUND registry.invalid`,
    code: 'registry_unreachable',
    message: 'The npm registry is unreachable (http://registry.invalid/is-number)',
  },
  'a registry that is down': {
    text: `npm error code ECONNREFUSED
npm error FetchError: request to http://127.0.0.1:9/is-number failed, reason: connect ECONNREFUSED 127.0.0.1:9`,
    code: 'registry_unreachable',
    message: 'The npm registry is unreachable (http://127.0.0.1:9/is-number)',
  },
  'a native module without a binary': {
    text: `npm error code 1
npm error path /workspace/code/node_modules/better-sqlite3
npm error command failed
npm error command sh -c prebuild-install || node-gyp rebuild --release
npm error gyp info it worked if it ends with ok
npm error gyp ERR! find Python
npm error gyp ERR! not ok
${log}`,
    code: 'needs_compiler',
    message: `better-sqlite3 is a native module that would have to be compiled, and builds have no compiler; use a version with a binary for Node.js ${process.versions.node} on ${process.platform}-${process.arch}, or another package`,
  },
  'an install script of a dependency': {
    text: `npm error code 5
npm error path /workspace/code/node_modules/@x/dep
npm error command failed
npm error command sh -c echo sad; exit 5
npm error sad
${log}`,
    end: { code: 5 },
    code: 'script_failed',
    message: 'The install script of @x/dep failed: sad',
  },
  'an install script of its own': {
    text: `
> postinstall
> node -e "console.error(7);process.exit(4)"

7
npm error code 4
npm error path /workspace/code
npm error command failed
npm error command sh -c node -e "console.error(7);process.exit(4)"
${log}`,
    code: 'script_failed',
    message: 'An install script of the package failed: 7',
  },
  'an unreachable repository': {
    text: `npm error code 128
npm error An unknown git error occurred
npm error command git --no-replace-objects ls-remote ssh://git@127.0.0.1:1/x/y.git
npm error ssh: connect to host 127.0.0.1 port 1: Connection refused
npm error fatal: Could not read from remote repository.`,
    code: 'install_failed',
    message:
      'npm install failed: An unknown git error occurred; ssh: connect to host 127.0.0.1 port 1: Connection refused; fatal: Could not read from remote repository.',
  },
  'a full disk': {
    text: 'npm error code ENOSPC\nnpm error syscall write\nnpm error errno -28\nnpm error nospc ENOSPC: no space left on device, write',
    code: 'disk_full',
    message: 'npm install ran out of disk space',
  },
  'an out-of-memory kill': {
    end: { code: null, signal: 'SIGKILL' },
    code: 'out_of_memory',
    message: 'npm install ran out of memory',
  },
  'a timeout': {
    end: { code: null, signal: 'SIGKILL', isLate: true },
    code: 'timeout',
    message: 'npm install took longer than 14 min and was stopped',
  },
  'no output': {
    code: 'install_failed',
    message: 'npm install failed: no output',
  },
};

const building: Record<string, Case> = {
  'a type error': {
    text: `
> shop@1.0.0 build
> tsc

src/index.ts(9,30): error TS2322: Type 'number' is not assignable to type 'string'.`,
    code: 'type_error',
    message:
      "Type error in src/index.ts, line 9: Type 'number' is not assignable to type 'string'. [TS2322]",
  },
  'type errors in colours': {
    text: "\u001b[96mx.ts\u001b[0m:\u001b[93m1\u001b[0m:\u001b[93m7\u001b[0m - \u001b[91merror\u001b[0m\u001b[90m TS2322: \u001b[0mType 'number' is not assignable to type 'string'.\n\nx.ts:1:59 - error TS2882: Cannot find module 'nope'.\n",
    code: 'type_error',
    message:
      "Type error in x.ts, line 1: Type 'number' is not assignable to type 'string'. [TS2322] (and 1 more)",
  },
  'settings of the compiler': {
    text: "error TS5058: The specified path does not exist: 'nothing'.",
    code: 'type_error',
    message: "Type error of the compiler: The specified path does not exist: 'nothing'. [TS5058]",
  },
  'a missing tool': {
    text: '\n> build\n> no-such-tool\n\nsh: 1: no-such-tool: not found\n',
    end: { code: 127 },
    code: 'script_failed',
    message:
      'The build script runs no-such-tool, which is not installed; add it to the dependencies in package.json',
  },
  'a script with line ends of Windows': {
    text: '\n> build\n> ./build.sh\n\nsh: 1: ./build.sh: not found\n',
    end: { code: 127, firstLineOf: () => '#!/bin/sh\r\n' },
    code: 'script_failed',
    message:
      'The build script runs ./build.sh, whose interpreter /bin/sh was not found: its lines end as those of Windows (CRLF), and the interpreter is then "/bin/sh\\r"; save it with LF',
  },
  'a script whose interpreter is missing': {
    text: 'bash: line 1: ./build.sh: cannot execute: required file not found\n',
    end: { code: 127, firstLineOf: () => '#! /usr/bin/fish\n' },
    code: 'script_failed',
    message:
      'The build script runs ./build.sh, whose interpreter /usr/bin/fish was not found: use one that is in the image of builds, or run it with node',
  },
  'a failing script, with its last output': {
    text: '\n> build\n> make\n\none\ntwo\nthree\nfour\n    at Object.<anonymous> (x.js:1:1)\n\nNode.js v24.0.0\n',
    end: { code: 3 },
    code: 'script_failed',
    message: 'npm run build ended with code 3: two | three | four',
  },
  'a heap that is full': {
    text: 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\nAborted',
    end: { code: 134 },
    code: 'out_of_memory',
    message: 'npm run build ran out of memory',
  },
  'a grandchild that was killed': {
    text: '\n> build\n> webpack\n\nKilled\n',
    end: { code: 137 },
    code: 'out_of_memory',
    message: 'npm run build ran out of memory',
  },
  'a package named like an npm message': {
    text: 'npm error code E404\n',
    end: { code: 1 },
    code: 'script_failed',
    message: 'npm run build ended with code 1: no output',
  },
};

describe('npm install fails for', () => {
  it.each(Object.entries(installing))('%s', (_name, given) => {
    const { code, message } = given;
    expect(reason(given)).toEqual({ kind: 'failed', code, message });
  });
});

describe('npm run build fails for', () => {
  it.each(Object.entries(building))('%s', (_name, given) => {
    const { code, message } = given;
    const end = { ...given.end, step: 'build' as const };
    expect(reason({ ...given, end })).toEqual({ kind: 'failed', code, message });
  });
});

it('is one line', () => {
  const { message } = codedFailure('script_failed', `a\n  b${'x'.repeat(5_000)}`);
  expect(message).toMatch(/^a bx+ …$/);
  expect(message).toHaveLength(1_024);
});
