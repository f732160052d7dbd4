// Runs in the page's own world, before the page's scripts.
export {};
