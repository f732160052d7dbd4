import { parseAst } from "vitest/node";

const swapped = new Map([
  ["<", "<="],
  ["<=", "<"],
  [">", ">="],
  [">=", ">"],
  ["===", "!=="],
  ["!==", "==="],
  ["+", "-"],
  ["-", "+"],
  ["*", "/"],
  ["&&", "||"],
  ["||", "&&"],
]);

/** All small changes of a source that its tests should notice: each replaces the text from `start` to `end`. */
export function findMutants(source) {
  const mutants = [];
  const replace = ({ start, end }, text) => mutants.push({ start, end, text });
  const textOf = ({ start, end }) => source.slice(start, end);
  walk(parseAst(source, { lang: "ts" }), (node) => {
    switch (node.type) {
      case "BinaryExpression":
      case "LogicalExpression": {
        const { left, right, operator } = node;
        if (!swapped.has(operator)) return;
        const between = source.slice(left.end, right.start).replace(operator, swapped.get(operator));
        return replace({ start: left.end, end: right.start }, between);
      }
      case "IfStatement":
      case "ConditionalExpression":
        return replace(node.test, `!(${textOf(node.test)})`);
      case "ExpressionStatement":
        if (node.directive === undefined) replace(node, ";");
        return;
      case "Literal":
        if (typeof node.value === "number") replace(node, String(node.value + 1));
        if (typeof node.value === "boolean") replace(node, String(!node.value));
    }
  });
  return mutants;
}

function walk(node, visit) {
  // Types are not run: no test can notice that one changed.
  if (node.type.startsWith("TS") && !("expression" in node)) return;
  visit(node);
  for (const child of Object.values(node).flat()) {
    if (typeof child?.type === "string") walk(child, visit);
  }
}
