/** The header in which a page of `fairlead console` sends the key of its tab. Also for the browser: without modules of node. */
export const keyHeader = 'fairlead-console-key';
