/** The event of a call's signal with which a dialog says that it is shown, and how it is titled. */
export const dialogShown = "pagewire-dialog";
