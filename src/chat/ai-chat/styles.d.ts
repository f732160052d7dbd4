/** The style sheets of styles/ as one text. The build makes the module of them. */
export const styles: string;
