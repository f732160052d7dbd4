/** What the page's address says. */
export const query = new URLSearchParams(location.search);
