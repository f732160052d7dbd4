/** Where the module of the rehearsal's thread is. */
export const rehearsalThreadUrl = new URL("./rehearsal-thread.js", import.meta.url);
