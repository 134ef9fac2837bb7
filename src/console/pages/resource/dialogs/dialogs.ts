// The parts that are loaded with the first dialog, or for a resource that has drifted.
export { observeNow } from '../drift/observe.ts';
export { DriftPanel } from '../drift/panel.tsx';
export { Editor } from '../edit/editor.tsx';
export { DeleteDialog } from './delete.tsx';
export { ExpiryDialog } from './expiry.tsx';
export { RevisionDialog } from './revision.tsx';
