/** The parameters in the page's address. */
export const query = new URLSearchParams(location.search);
