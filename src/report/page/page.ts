/** The page of a report: one HTML file without references to anything outside of it. */
import type { ReportDocument } from "../document.ts";

/** The page as a string. */
export const reportPage = (report: ReportDocument): string => report.title;
