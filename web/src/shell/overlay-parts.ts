/** Fetched together. */
export { TooltipLayer } from "../ui/tooltip.tsx";
export { IdleWatch } from "./idle.tsx";
export { KeySheet } from "./key-sheet.tsx";
export { Palette } from "./palette.tsx";
