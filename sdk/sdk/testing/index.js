export { checkType, testProvider } from './check.js';
export { testKit } from './kit/index.js';
