export { type CheckOptions, checkType, type TypeCase, testProvider } from './check.js';
