/**
 * What the name of a tool or prompt looks like. Programs keep tools in objects by name, and every object already has
 * something under the two names that are refused.
 */
export const itemNamePattern = /^(?!(__proto__|constructor)$)[\w.-]{1,128}$/;

/** What is wrong with another name, after the name itself. */
export const itemNameProblem = "is reserved or not 1 to 128 letters, digits, dots, dashes or underscores";
