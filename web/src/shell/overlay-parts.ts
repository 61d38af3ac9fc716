/** Fetched together. */
export { Toasts } from "../ui/toasts.tsx";
export { TooltipLayer } from "../ui/tooltip.tsx";
export { buildAccountMenu } from "./account-menu.ts";
export { buildHelpMenu } from "./help-menu.ts";
export { IdleWatch } from "./idle.tsx";
export { KeySheet } from "./key-sheet.tsx";
export { Palette } from "./palette.tsx";
