/** The pages about data and defaults, one chunk. */
export { QueryCategoriesPage, TemplateCategoriesPage } from "./categories.tsx";
export { ColumnTemplatesPage } from "./columns.tsx";
export { PatternsPage } from "./patterns.tsx";
export { RetentionPage } from "./retention.tsx";
export { TableTemplatesPage } from "./table-templates.tsx";
export { TaskDefaultsPage } from "./tasks.tsx";
export { ValueListsPage } from "./value-lists.tsx";
export { ChannelsPage } from "./webhooks.tsx";
