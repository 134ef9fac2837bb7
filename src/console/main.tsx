// The console: pages for operators, which read and write through the HTTP API alone.
import { render } from 'preact';
import { listenForKeys } from './router/shortcuts.ts';
import { App } from './shell/app.tsx';
import { begin } from './shell/start.ts';

const root = document.querySelector('#app');
if (root !== null) render(<App />, root);
listenForKeys();
void begin();
