/** Fetched together. */
export { Toasts } from "../ui/toasts.tsx";
export { TooltipLayer } from "../ui/tooltip.tsx";
export { buildHelpMenu } from "./help-menu.ts";
export { IdleWatch } from "./idle.tsx";
export { KeySheet } from "./key-sheet.tsx";
export { Palette } from "./palette.tsx";
