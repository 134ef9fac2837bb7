export { checkType, testProvider } from './check.js';
export { schemaProblems } from './contract/schemas.js';
export { testKit } from './kit/index.js';
