/** The pages about data and defaults, one chunk. */
export { RetentionPage } from "./retention.tsx";
export { TaskDefaultsPage } from "./tasks.tsx";
