// The parts that are loaded with the first dialog, for a resource that has drifted, or with the tab of events.
export { observeNow } from '../drift/observe.ts';
export { DriftPanel } from '../drift/panel.tsx';
export { Editor } from '../edit/editor.tsx';
export { Events } from '../events.tsx';
export { DeleteDialog } from './delete.tsx';
export { ExpiryDialog } from './expiry.tsx';
export { RevisionDialog } from './revision.tsx';
