#!/usr/bin/env node
// Starts the client: checks the version of Node.js, and runs the bundle beside this file with the code that earlier runs compiled.
'use strict';
const {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { homedir } = require('node:os');
const { dirname, join } = require('node:path');
const { Script } = require('node:vm');

const needed = 24;
const found = Number.parseInt(process.versions.node, 10);
const bundle = join(__dirname, 'client.cjs');

if (found < needed) {
  refuse(`fairlead needs Node.js ${needed} or later, and this is ${process.version}.`);
} else if (!existsSync(bundle)) {
  refuse('the client is not built. In the checkout: npm ci (or npm run build)');
} else {
  start();
}

function refuse(message) {
  process.stderr.write(`Error: ${message}\n`);
  process.exitCode = 1;
}

/**
 * The compile cache of Node.js holds what is compiled when a module is loaded, which is the least of it. A cache that is made when
 * a command ends also holds the functions that it called: a third less time to start.
 */
function start() {
  // The bundle is ASCII, which this encoding reads without a second copy.
  const source = readFileSync(bundle, 'latin1');
  const cache = cacheFile(source);
  const cachedData = read(cache);
  const script = new Script(source, { filename: bundle, cachedData });
  if (cachedData === undefined || script.cachedDataRejected) {
    process.once('exit', (code) => {
      if (code === 0) keep(cache, script);
    });
  }
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, bundle, __dirname);
}

/** One for each bundle, V8 and command. V8 itself does not notice a change of the text that keeps its length. */
function cacheFile(source) {
  const digest = source.slice(2, source.indexOf('\n'));
  const command = process.argv.slice(2).find((word) => /^[a-z-]{1,32}$/.test(word)) ?? 'help';
  const caches =
    process.env.XDG_CACHE_HOME ||
    (process.platform === 'win32' && process.env.LOCALAPPDATA) ||
    join(homedir(), '.cache');
  return join(caches, 'fairlead', 'v8', `${digest}-${process.versions.v8}`, command);
}

function read(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** Another process may write the same. A cache that cannot be kept is no loss. */
function keep(path, script) {
  const folder = dirname(path);
  const partial = `${path}.${process.pid}`;
  try {
    // Those of other versions.
    if (!existsSync(folder)) rmSync(dirname(folder), { recursive: true, force: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(partial, script.createCachedData(), { mode: 0o600 });
    renameSync(partial, path);
  } catch {
    rmSync(partial, { force: true });
  }
}
