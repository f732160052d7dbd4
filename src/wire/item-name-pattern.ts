/** What the name of a tool or prompt looks like. */
export const itemNamePattern = /^[\w.-]{1,128}$/;
