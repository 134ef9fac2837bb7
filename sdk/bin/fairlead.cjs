#!/usr/bin/env node
// Starts the client: checks the version of Node.js, enables the compile cache and loads the bundle beside this file.
// The cache serves only what is loaded after it is enabled, so the bundle is a file of its own.
'use strict';
const { homedir } = require('node:os');
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const needed = 24;
const found = Number.parseInt(process.versions.node, 10);
const bundle = join(__dirname, 'client.cjs');

function refuse(message) {
  process.stderr.write(`Error: ${message}\n`);
  process.exitCode = 1;
}

if (found < needed) {
  refuse(`fairlead needs Node.js ${needed} or later, and this is ${process.version}.`);
} else if (!existsSync(bundle)) {
  refuse(`the client is not built. In the checkout: npm ci (or npm run build)`);
} else {
  const caches =
    process.env.XDG_CACHE_HOME ||
    (process.platform === 'win32' && process.env.LOCALAPPDATA) ||
    join(homedir(), '.cache');
  require('node:module').enableCompileCache(join(caches, 'fairlead', 'v8'));
  require(bundle);
}
