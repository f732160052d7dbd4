/** What the page of the late tool is told: the name of the tool to register; none takes the last one away. */
export interface LateToolArguments {
  readonly name?: string;
}

/** When it was done, in milliseconds since 1970. */
export interface LateToolAnswer {
  readonly at: number;
}
