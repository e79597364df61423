/*
 * The inner loop of the annealing: trees that are changed and judged some million times in a second.
 *
 * The memory is imported (`env.memory`) and belongs to the importer, who says where in it everything lies
 * (../kernel.ts): nothing here has data, a stack or a heap in it.
 */
export { setUp } from "./costs";
export { move } from "./search";
export { clock, plant, sharpen, sum } from "./tree";
