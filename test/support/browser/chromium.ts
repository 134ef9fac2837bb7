// A real Chromium: the program named by FAIRLEAD_TEST_BROWSER, one that is installed, or the one of @sparticuz/chromium.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { loadConfig } from '../../../src/app/config/index.ts';
import { publishFolder } from '../../../src/dev/publish-folder.ts';

interface Program {
  readonly executablePath: string;
  /** Folder with libraries that a bare system lacks. */
  readonly libraries?: string;
}

const installed = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Nothing is fetched in the background. The sandbox needs privileges that containers lack; pages here are our own. */
const args = [
  '--headless=shell',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** @returns undefined where there is no Chromium for this system */
export async function findChromium(): Promise<Program | undefined> {
  const named = process.env['FAIRLEAD_TEST_BROWSER'];
  if (named === 'package') return await packagedChromium();
  if (named !== undefined) return { executablePath: named };
  const executablePath = installed.find((path) => existsSync(path));
  if (executablePath !== undefined) return { executablePath };
  return process.platform === 'linux' && process.arch === 'x64'
    ? await packagedChromium()
    : undefined;
}

export async function launchChromium({ executablePath, libraries }: Program): Promise<Browser> {
  const env =
    libraries === undefined ? {} : { env: { ...process.env, LD_LIBRARY_PATH: libraries } };
  return await chromium.launch({ executablePath, args, ...env });
}

interface Manifest {
  readonly version: string;
}

/** Unpacks once for each version of the package, into the cache. */
async function packagedChromium(): Promise<Program> {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const root = join(dirname(entry), '..');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const caches = join(loadConfig([]).cacheFolder, 'chromium');
  const folder = join(caches, version);
  if (!existsSync(folder)) {
    mkdirSync(caches, { recursive: true });
    const partial = mkdtempSync(join(caches, 'partial-'));
    try {
      await unpackInto(partial, join(root, 'bin'));
      publishFolder(partial, folder);
    } finally {
      rmSync(partial, { recursive: true, force: true });
    }
  }
  return { executablePath: join(folder, 'chromium'), libraries: join(folder, 'al2023/lib') };
}

async function unpackInto(folder: string, archives: string): Promise<void> {
  const { inflate } = await import('@sparticuz/chromium');
  // inflate writes to the temporary folder, under fixed names.
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  try {
    for (const archive of ['chromium.br', 'fonts.tar.br', 'al2023.tar.br']) {
      await inflate(join(archives, archive));
    }
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
}
