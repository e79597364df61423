/** What a PE tells about its world when it is asked: loaded then. */
export { diagnose } from "../links/diagnose/diagnose.ts";
export { explainPlanning } from "../plan/document/world-plan.ts";
