// All parts, for the console. A page that needs few of them imports their files: esbuild would lay all that the others load on
// demand beside it.
export { Badge, Dot } from "./badge.tsx";
export type { Tone } from "./badge.tsx";
export { Button, CopyButton } from "./button.tsx";
export { Chart } from "./chart.tsx";
export type { Point } from "./chart.tsx";
export { Code } from "./code.tsx";
export { Dialog, Drawer } from "./dialog.tsx";
export { Field, Select, Switch, TextArea, TextField } from "./fields.tsx";
export { Icon } from "./icon.tsx";
export { JsonTree } from "./json-tree.tsx";
export type { Series } from "./plot.ts";
export { Segments, Tabs } from "./segments.tsx";
export { Empty, Loading, Problem } from "./states.tsx";
export { Table } from "./table.tsx";
export type { Column } from "./table.tsx";
export { Time, Until, durationText, now } from "./time.tsx";
export { Toasts, toast } from "./toasts.tsx";
