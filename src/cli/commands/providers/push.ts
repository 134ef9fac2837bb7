// `fairlead push`: packs a provider's folder, uploads it, follows the build, and deploys the version.
import { resolve } from 'node:path';
import type { Build, Deployment, PushedBuild } from '../../../api/shapes.ts';
import { counted, sizeText } from '../../../client/time.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { followBuild } from '../../providers/build.ts';
import { type Following, withSteps } from '../../providers/following.ts';
import { type Archive, writeArchive } from '../../providers/pack/archive.ts';
import { contentsOf } from '../../providers/pack/contents.ts';
import { refuseCredentials } from '../../providers/pack/credentials.ts';
import { checkArchive, checkFiles, packedBytes } from '../../providers/pack/limits.ts';
import { packageRoot, providerNameOf, readManifest } from '../../providers/pack/manifest.ts';
import {
  type FileSelection,
  type PackedFile,
  selectFiles,
} from '../../providers/pack/selection.ts';
import { type Staged, stage } from '../../providers/pack/staging.ts';
import { upload } from '../../providers/pack/upload.ts';
import { findProvider } from '../../providers/provider.ts';
import { roll } from '../../providers/rollout.ts';
import { deploymentView } from '../../providers/views.ts';
import type { Invocation } from '../../session/invocation.ts';
import type { Environment } from '../../terminal/environment.ts';
import type { View } from '../../terminal/output.ts';

const fileView: View<PackedFile> = {
  columns: [
    { title: 'SIZE', cell: ({ size }) => sizeText(size) },
    { title: 'FILE', cell: ({ path }) => path },
  ],
  nameOf: ({ path }) => path,
};

export async function push(invocation: Invocation): Promise<void> {
  const { args, flags, environment, talk } = invocation;
  const root = packageRoot(args[0], environment);
  const [allow, include] = [flags.texts('allow-secret'), flags.texts('include')];
  const own = selectFiles(
    root,
    { usesGitignore: true, exclude: flags.texts('exclude'), include },
    environment,
  );
  const admitted = flags.texts('local').map((path) => resolve(environment.folder, path));
  const contents = await contentsOf(own, { admitted, environment });
  for (const warning of contents.warnings) talk.warn(warning);
  if (flags.on('list')) return await listSelection(invocation, contents);
  await refuseCredentials(contents, { allow, include });
  const staged = await stage(contents, invocation.signal);
  try {
    await packAndSend(invocation, root, staged);
  } finally {
    await staged.remove();
  }
}

async function packAndSend(invocation: Invocation, root: string, selection: Staged): Promise<void> {
  const { flags, environment, talk } = invocation;
  const provider = await providerNameOf(root, flags.text('provider'), environment);
  const unchecked = uncheckedTypes(root, selection, environment);
  checkFiles(selection.files);
  if (unchecked !== undefined) talk.note(unchecked);
  const archive = await writeArchive(selection, invocation.signal);
  try {
    checkArchive(archive.bytes, selection.files);
    if (selection.local.length > 0)
      talk.note(`With local packages: ${selection.local.join(', ')}.`);
    if (flags.on('dry-run')) {
      talk.note(`${archiveSummary(selection, archive)} would be uploaded as ${provider}.`);
    } else {
      await sendArchive(invocation, { provider, selection, archive });
    }
  } finally {
    await archive.remove();
  }
}

/** A script that runs the compiler, or another one that checks. */
const compiles = /\b(?:tsc|tsgo|type-?check|check)\b/;

/** @returns the sentence about types that nothing checks, since a build removes them; undefined when a script of the package checks them */
function uncheckedTypes(
  root: string,
  { files }: FileSelection,
  { variables }: Environment,
): string | undefined {
  if (!files.some(({ path }) => /(?<!\.d)\.[cm]?ts$/.test(path))) return undefined;
  const scripts = (readManifest(root).scripts ?? {}) as Readonly<Record<string, unknown>>;
  const isCheck = (script: unknown) => typeof script === 'string' && compiles.test(script);
  // npm names the script that it runs: what precedes the push in it has succeeded.
  const { npm_lifecycle_script: running, npm_lifecycle_event: event } = variables;
  if ([running, scripts[`pre${event}`], scripts['build'], scripts['prebuild']].some(isCheck)) {
    return undefined;
  }
  const advice = isCheck(scripts['push']) ? 'npm run push' : 'npx tsc --noEmit';
  return `Nothing has checked the types, which a build removes.  Check them: ${advice}`;
}

async function listSelection(
  { output, talk }: Invocation,
  selection: FileSelection,
): Promise<void> {
  const { files, leftOut } = selection;
  await output.list(files, fileView);
  talk.note(`${counted(files.length, 'file')}, ${sizeText(packedBytes(files))}.`);
  for (const { path, by } of leftOut) talk.note(`left out: ${path} (${by})`);
}

/** @returns such as `9 files, 14 kB` */
function archiveSummary({ files }: FileSelection, { bytes }: Archive): string {
  return `${counted(files.length, 'file')}, ${sizeText(packedBytes(files))} (${sizeText(bytes)} packed)`;
}

interface PushRequest {
  readonly provider: string;
  readonly selection: FileSelection;
  readonly archive: Archive;
}

async function sendArchive(invocation: Invocation, sending: PushRequest): Promise<void> {
  const { flags } = invocation;
  const { provider, selection, archive } = sending;
  const [deploys, waits] = [flags.on('deploy'), flags.choice('wait') !== false];
  const result = await withSteps(invocation, async (following) => {
    const left = selection.leftOut.length;
    const detail = left === 0 ? '' : `${left} left out (fairlead push --list shows them)`;
    const cells = [archiveSummary(selection, archive)];
    following.progress.set('pack', { label: 'Pack', state: 'done', cells, detail, isDone: true });
    const pushed = await uploaded(following, sending);
    const built = deploys || waits ? await followBuild(following, provider, pushed) : pushed;
    if (!deploys) return built;
    const { version } = pushed;
    const retireTypes = flags.on('retire-types');
    const wanted = { provider, version, waits, strict: flags.on('strict'), retireTypes };
    return await roll(following, wanted);
  });
  await showResult(invocation, provider, result);
}

/** @returns the words about the way back; empty when no version served before */
async function undoText(invocation: Invocation, provider: string): Promise<string> {
  const found = await findProvider(await invocation.api(), provider);
  const hasWayBack = found !== undefined && found.previous_version !== null;
  return hasWayBack ? shell`  Undo: fairlead rollback ${provider}` : '';
}

async function uploaded(
  { api, progress }: Following,
  { provider, archive }: PushRequest,
): Promise<PushedBuild> {
  const label = 'Upload';
  const show = (bytes: number) => {
    const percent = Math.floor((100 * bytes) / Math.max(1, archive.bytes));
    const cells = [`${percent} % of ${sizeText(archive.bytes)}`];
    progress.set('upload', { label, state: 'uploading', cells, isDone: false });
  };
  show(0);
  const pushed = await upload(api, archive, { provider, onProgress: show });
  const cells = [`${provider} ${pushed.version}`];
  progress.set('upload', { label, state: 'done', cells, isDone: true });
  return pushed;
}

/** Prints the version where a program reads it, and a sentence for people. */
async function showResult(
  invocation: Invocation,
  provider: string,
  result: Build | Deployment | PushedBuild,
): Promise<void> {
  const { output, talk, flags } = invocation;
  const { version } = result;
  if (!output.isForPeople) {
    if ('message' in result && 'deployment_name' in result)
      await output.record(result, deploymentView);
    else await output.record(result, pushedView);
  } else if (output.width === undefined || talk.quiet) output.line(version);
  const sentence = resultSentence(provider, result, flags.on('deploy'));
  const isRunning = flags.on('deploy') && isServing(result);
  talk.note(isRunning ? `${sentence}${await undoText(invocation, provider)}` : sentence);
}

function isServing(result: Build | Deployment | PushedBuild): boolean {
  return 'deployment_name' in result && result.status === 'available';
}

const pushedView: View<Build | PushedBuild> = { columns: [], nameOf: ({ job_name }) => job_name };

function resultSentence(
  provider: string,
  result: Build | Deployment | PushedBuild,
  deploys: boolean,
): string {
  const { version } = result;
  if (deploys) {
    if (isServing(result)) return `${provider} ${version} is running.`;
    return shell`${provider} ${version} is starting.  Watch: fairlead provider get ${provider}`;
  }
  if (result.status === 'success') {
    return shell`${provider} ${version} is built.  Run it: fairlead deploy ${provider} ${version}`;
  }
  return shell`${provider} ${version} is being built.  Watch: fairlead logs ${'job_name' in result ? result.job_name : provider}`;
}
